"""The facts that rules, hover and search read. Plain data; nothing here looks at source text.

Reading order for a rule author:

* ``OperatorFacts`` of ``operator_facts`` (or ``KernelModel`` for a lone file) is the entry; the host's side
  is in ``tiling_model``.
* ``KernelModel.instances`` are the *runs* of the kernel that the source allows: one per entry function, per
  tiling-key arm that builds a kernel object, and per OpDef dtype column (so ``T`` is ``half`` in one instance
  and ``float`` in the next). Inside an instance every helper call is inlined, every size is a ``Value`` over
  tiling fields, and dead ``if constexpr`` arms are gone.
* ``Instance.events()`` yields the events in program order. ``Instance.body`` is the same thing as a tree
  (``LoopNode``, ``BranchNode``, ``CallNode``), for rules that need paths.
* ``KernelModel.pipes``, ``queues`` and ``functions`` are declarations, instance-independent.

All sizes are bytes unless the name says otherwise; spans are byte ranges of the file on disk. Nobody but the walk
changes a fact; those that walks make by the thousand are not frozen because making one then takes three times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar, cast

from ascendopt.analysis.facts.declared import (
    FunctionFact,
    PipeFact,
    QueueFact,
    Site,
)
from ascendopt.analysis.facts.events import (
    Event,
    Node,
    walk_events,
)
from ascendopt.analysis.values import Value

EventT = TypeVar("EventT", bound=Event)
T = TypeVar("T")


@dataclass(frozen=True)
class TilingRead:
    """A place where the kernel names a field of its tiling data; ``field`` is dotted for nested ones, without index."""

    field: str
    site: Site


@dataclass(frozen=True, eq=False)
class _Deriving:
    """Facts that rules derive more from."""

    # Not of ``__init__``: what ``replace`` makes starts without.
    _derived: dict[str, tuple[object, ...]] = field(init=False, default_factory=dict[str, "tuple[object, ...]"])

    def derived(self, name: str, make: Callable[[], tuple[T, ...]]) -> tuple[T, ...]:
        """What ``make`` derives from these facts, made once; ``name`` says which derivation it is."""
        if name not in self._derived:
            self._derived[name] = make()
        return cast("tuple[T, ...]", self._derived[name])


@dataclass(frozen=True, eq=False)
class Instance(_Deriving):
    """One run of the kernel: entry, arm and dtype column fixed.

    ``label`` is for people (``KernelLerp<half, half, half, half, 1>``); ``entry`` is the entry function or,
    with no entry in sight, the class that was walked on its own (``is_synthetic``: template parameters and
    Init arguments are then free symbols). ``dtypes`` maps ``DTYPE_X`` to the dtype of this column. ``key`` is
    the tiling key of the arm when the source says it (``TILING_KEY_IS(3)``); where the entry is a template instead,
    ``picked`` are the conditions on its parameters and what they come to. ``bindings`` are the template arguments of
    the kernel class. ``tiling_reads`` are where it names tiling fields.
    ``complete`` is False when the walk hit a limit or a call it could not follow that may touch queues: rules about
    *absence* (a missing FreeTensor) must then stay silent.
    """

    label: str
    entry: str
    site: Site
    body: tuple[Node, ...]
    dtypes: tuple[tuple[str, str], ...] = ()
    bindings: tuple[tuple[str, str], ...] = ()
    key: int | None = None
    picked: tuple[tuple[str, bool], ...] = ()
    is_synthetic: bool = False
    complete: bool = True
    tiling_reads: tuple[TilingRead, ...] = ()
    # Every rule asks for its kind of event: the tree is looked through once for each kind.
    _kinds: dict[type[Event], tuple[Event, ...]] = field(
        init=False, default_factory=dict[type[Event], tuple[Event, ...]]
    )

    def events(self) -> Iterator[Event]:
        """All events in program order."""
        return iter(self._of(Event))

    def of(self, kind: type[EventT]) -> list[EventT]:
        """All events of one class, subclasses included, in program order."""
        return cast("list[EventT]", list(self._of(kind)))

    def _of(self, kind: type[Event]) -> tuple[Event, ...]:
        known = self._kinds.get(kind)
        if known is None:
            every = self._of(Event) if kind is not Event else walk_events(self.body)
            known = self._kinds[kind] = tuple(event for event in every if isinstance(event, kind))
        return known


@dataclass(frozen=True, eq=False)
class KernelModel(_Deriving):
    """Facts of the device side. ``constants`` are file-level and class-level constants with known or symbolic
    value (``BUFFER_NUM``; class ones as ``Class::NAME``). ``paths`` are the files read, the first one
    first. ``register_code`` has a place in each of those of the register programming model, whose calls are not among
    the facts."""

    paths: tuple[Path, ...]
    soc: str
    pipes: tuple[PipeFact, ...]
    queues: tuple[QueueFact, ...]
    functions: tuple[FunctionFact, ...]
    constants: tuple[tuple[str, Value], ...]
    instances: tuple[Instance, ...]
    register_code: tuple[Site, ...] = ()

    @property
    def entries(self) -> tuple[FunctionFact, ...]:
        """The ``__global__`` functions."""
        return tuple(function for function in self.functions if function.is_entry)
