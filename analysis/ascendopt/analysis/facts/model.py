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

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar, cast

from ascendopt.analysis.facts.places import Place
from ascendopt.analysis.findings import Span
from ascendopt.analysis.values import Value, negate


@dataclass(slots=True, unsafe_hash=True)
class Site:
    """A place in a file. ``function`` is the qualified name of the enclosing function, or ``""``."""

    path: Path
    place: Place
    function: str = ""

    @property
    def span(self) -> Span:
        """The byte range."""
        return self.place.span


# --------------------------------------------------------------------------- declarations


@dataclass(frozen=True)
class PipeFact:
    """A ``TPipe`` object. ``where`` is ``member``, ``local`` or ``global``; pointers and references are not
    objects and are not listed. ``owner`` is the class of a member or the function of a local."""

    name: str
    where: str
    owner: str
    site: Site


@dataclass(frozen=True)
class QueueFact:
    """A declared ``TQue``, ``TQueBind`` or ``TBuf``.

    ``positions``: ``("VECIN",)``, for TQueBind source and destination; TBuf defaults to ``("VECCALC",)``.
    ``depth`` is None for TBuf and when the template argument is not understood. ``count`` is the array length
    of ``TQue<...> q[n]`` (1 for a plain object, None if not constant). ``owner`` as in ``PipeFact``.
    """

    name: str
    kind: str
    positions: tuple[str, ...]
    depth: Value | None
    owner: str
    site: Site
    count: int | None = 1

    def __hash__(self) -> int:
        return hash(
            (self.name, self.owner)
        )  # tables are keyed by queues: depth and place cost more than they tell apart

    @property
    def is_buffer(self) -> bool:
        """True for TBuf (no queue semantics)."""
        return self.kind == "TBuf"


@dataclass(frozen=True)
class TemplateParam:
    """``typename T`` has kind ``type``; ``int32_t N`` or ``bool B`` has kind ``value``; anything else
    ``other``."""

    name: str
    kind: str
    default: str | None = None


@dataclass(frozen=True)
class FunctionFact:
    """A function definition. ``name`` is qualified (``KernelAdd::CopyIn``); ``is_entry`` means
    ``__global__``."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    templates: tuple[TemplateParam, ...]
    site: Site
    name_span: Span
    is_entry: bool = False

    @property
    def short_name(self) -> str:
        """The name without its class."""
        return self.name.rsplit("::", 1)[-1]


# --------------------------------------------------------------------------- operands


@dataclass(slots=True, unsafe_hash=True)
class TensorFact:
    """A tensor operand as far as it is known.

    ``memory``: ``local`` (UB, L1, L0) or ``global``. ``element``: dtype name (``half``, ``float``,
    ``int32_t``, ``bfloat16_t`` ...) or None. ``element_bytes`` is a constant Value when the type is known,
    else symbolic. ``queue`` is the queue or TBuf it came from (None when unknown), ``position`` its
    TPosition. ``offset`` is the distance from the start of its buffer in *bytes* (Value; None if unknown).
    ``handle`` identifies the tensor that AllocTensor/DeQue/Get returned: two TensorFacts with the same handle
    alias one buffer. ``name`` is the source name (``xLocal``, ``xGm``). ``length`` is the element count of
    ``Get(n)`` or SetGlobalBuffer, if stated. ``origin`` is the entry's argument that a global tensor lies in, and
    ``offset`` then counts from there.
    """

    memory: str
    element: str | None
    element_bytes: Value
    name: str
    queue: QueueFact | None = None
    position: str | None = None
    offset: Value | None = None
    handle: int | None = None
    length: Value | None = None
    origin: str | None = None

    def named(self, name: str) -> TensorFact:
        """The same tensor under another name."""
        return self._copy(name, self.offset, self.length)

    def at(self, offset: Value | None, length: Value | None) -> TensorFact:
        """A part of the tensor: its offset in bytes from the start of the buffer, and its elements."""
        return self._copy(self.name, offset, length)

    def _copy(self, name: str, offset: Value | None, length: Value | None) -> TensorFact:
        """What ``dataclasses.replace`` would give: walks make so many that its checks show."""
        return TensorFact(
            self.memory,
            self.element,
            self.element_bytes,
            name,
            self.queue,
            self.position,
            offset,
            self.handle,
            length,
            self.origin,
        )

    @property
    def buffer(self) -> object:
        """What lies in one buffer has this in common: the TBuf, else the tensor's ``handle``. None when not known."""
        if self.queue is not None and self.queue.is_buffer and self.queue.count == 1:
            return self.queue
        return self.handle


@dataclass(slots=True, unsafe_hash=True)
class Argument:
    """One argument of a call. ``value`` for integers, ``tensor`` for tensors, ``fields`` for parameter
    structs (``DataCopyParams{1, n, 0, 0}`` -> ``blockCount``, ``blockLen`` ...; missing keys are not known) and
    arrays (``[0]``, ``[1]`` ...; inside of structs ``elementLengths[0]``).
    ``text`` is the source text."""

    text: str
    place: Place
    value: Value | None = None
    tensor: TensorFact | None = None
    fields: tuple[tuple[str, Value], ...] = ()
    struct: str | None = None
    dtype: str | None = None
    assigned: tuple[tuple[str, Place], ...] = ()

    @property
    def span(self) -> Span:
        """The byte range of the argument."""
        return self.place.span

    def field(self, name: str) -> Value | None:
        """Value of one field of a parameter struct, or None."""
        for key, value in self.fields:
            if key == name:
                return value
        return None

    def set_at(self, name: str) -> Place | None:
        """Where one field of a parameter struct was last assigned (``p.blockLen = n``), or None."""
        return dict(self.assigned).get(name)


# --------------------------------------------------------------------------- events


@dataclass(slots=True, unsafe_hash=True)
class LoopStep:
    """One enclosing loop of an event. ``trip`` is the number of iterations, None if unknown."""

    loop: LoopNode = field(repr=False)
    trip: Value | None


@dataclass(frozen=True)
class ArmStep:
    """One enclosing arm of an undecided branch. ``condition`` is a 0/1 Value that holds in this arm, or
    None."""

    branch: BranchNode = field(repr=False)
    arm: int
    condition: Value | None

    @cached_property
    def denied(self) -> Value | None:
        """What holds in none of the events in this arm: the condition's negation, None where that is not known."""
        return negate(self.condition) if self.condition is not None else None


Step = LoopStep | ArmStep


@dataclass(slots=True, unsafe_hash=True)
class Event:
    """Something the kernel does. ``path`` lists the enclosing loops and arms, outermost first, *through*
    calls: a statement of a helper that is called from a loop has that loop in its path. ``calls`` are the
    call sites that lead here from the entry (outermost first). ``order`` increases in program order within
    the instance. ``is_certain`` is False in code that is perhaps not compiled for these types: an arm of a condition on
    types that is not decided, an overload or a specialisation that is a guess."""

    site: Site
    order: int
    path: tuple[Step, ...]
    calls: tuple[Site, ...]
    is_certain: bool = field(default=True, kw_only=True)

    @property
    def loops(self) -> tuple[LoopStep, ...]:
        """The enclosing loops, outermost first."""
        return tuple(step for step in self.path if isinstance(step, LoopStep))

    @property
    def in_loop(self) -> bool:
        """True when it is in a loop, lexically or through calls."""
        return any(isinstance(step, LoopStep) for step in self.path)


@dataclass(slots=True, unsafe_hash=True)
class InitBufferEvent(Event):
    """``pipe.InitBuffer(queue, num, length)`` or ``(buf, length)``: ``num`` is constant 1 for TBuf.
    ``length`` is in bytes *before* rounding to 32. ``total`` is num * AlignUp(length, 32). ``queue`` is None
    if not resolved (``queue_text`` is the source). ``length_span`` is the length argument alone,
    ``length_text`` its source. ``pipe`` is the TPipe that gives the bytes, None when it is not known."""

    queue: QueueFact | None
    queue_text: str
    num: Value
    length: Value
    total: Value
    length_place: Place
    length_text: str
    pipe: PipeFact | None = None

    @property
    def length_span(self) -> Span:
        """The byte range of the length argument."""
        return self.length_place.span


@dataclass(slots=True, unsafe_hash=True)
class QueueEvent(Event):
    """``op`` is ``AllocTensor``, ``FreeTensor``, ``EnQue`` or ``DeQue``. ``handle`` is the tensor's identity,
    see ``TensorFact.handle``: DeQue makes a new handle; EnQue and FreeTensor consume one (None: unknown
    tensor). ``tensor_name`` is the variable. ``queue`` is None when the receiver is not resolved. ``in_place``: the
    call fills its argument in (``queue.AllocTensor<T>(x)``) instead of returning a tensor."""

    op: str
    queue: QueueFact | None
    queue_text: str
    tensor_name: str
    handle: int | None
    in_place: bool = False


@dataclass(slots=True, unsafe_hash=True)
class BufferGetEvent(Event):
    """``buf.Get<T>(n)`` of a TBuf, giving ``tensor``."""

    tensor: TensorFact


@dataclass(slots=True, unsafe_hash=True)
class ApiCall(Event):
    """A call that is not a function of the operator: ``Add``, ``Cast``, ``DataCopy``, ``ReduceSum`` ...

    ``name`` is without namespace. ``template_args`` are resolved texts (``T`` bound to ``half`` reads
    ``half``). ``receiver`` is the tensor of a method call (``x.GetValue(i)``), else None; other methods carry
    the receiver's source in ``receiver_text``. ``name_span`` covers the name alone.
    """

    name: str
    template_args: tuple[str, ...]
    args: tuple[Argument, ...]
    receiver: TensorFact | None
    receiver_text: str
    name_place: Place

    @property
    def name_span(self) -> Span:
        """The byte range of the name."""
        return self.name_place.span


@dataclass(slots=True, unsafe_hash=True)
class CopyEvent(ApiCall):
    """``DataCopy``/``DataCopyPad``.

    ``direction``: ``in`` (GM->local), ``out`` (local->GM), ``local``, or ``?``. ``element`` is the element
    type. ``count`` is the element count of the count form; ``params`` the struct argument of the strided form
    (``params.field("blockCount")``...). ``bytes`` is the payload in bytes: count * sizeof(T); blockCount *
    blockLen
    * 32 for DataCopyParams with DataCopy; blockCount * blockLen for DataCopyPad; None if not known.
    """

    direction: str
    element: str | None
    count: Value | None
    params: Argument | None
    bytes: Value | None


@dataclass(slots=True, unsafe_hash=True)
class ScalarAccess(ApiCall):
    """``GetValue``/``SetValue`` on a tensor (``name`` says which); ``receiver`` is the tensor, ``index`` the
    element."""

    index: Value | None


@dataclass(slots=True, unsafe_hash=True)
class ScalarMath(Event):
    """Scalar code calculates with what ``GetValue`` of a tensor of ``element`` gave; ``operator`` is ``+``, ``<``."""

    element: str
    operator: str


@dataclass(slots=True, unsafe_hash=True)
class StoreEvent(Event):
    """An integer variable gets a value that rules ask about: a member (``dtype`` is empty) takes a tiling field or an
    argument as it is, or a local of ``dtype``, 32 bits, takes the product ``text``."""

    name: str
    value: Value
    dtype: str = ""
    text: str = ""


@dataclass(slots=True, unsafe_hash=True)
class BarrierEvent(ApiCall):
    """``PipeBarrier<PIPE_X>()`` or ``pipe_barrier(PIPE_X)``; ``pipe`` is ``PIPE_ALL``, ``PIPE_V`` ..."""

    pipe: str


@dataclass(slots=True, unsafe_hash=True)
class FlagEvent(ApiCall):
    """``SetFlag``/``WaitFlag``/``set_flag``/``wait_flag``; ``event`` is ``MTE2_V`` ..., ``flag`` the id's
    source."""

    event: str
    flag: str


@dataclass(slots=True, unsafe_hash=True)
class PipeEvent(Event):
    """A ``TPipe`` object comes to life (``op`` ``create``) or goes with its scope (``end``), or ``Reset`` or
    ``Destroy`` is called on it."""

    op: str
    pipe: PipeFact | None


@dataclass(slots=True, unsafe_hash=True)
class ExitEvent(Event):
    """``return``, ``break`` or ``continue``; a ``return`` leaves the nearest enclosing ``CallNode``."""

    kind: str


# --------------------------------------------------------------------------- structure


@dataclass(slots=True, eq=False)
class LoopNode:
    """A loop and what one iteration does. ``header`` is the loop's site, ``variable`` its induction variable
    (symbol ``loop_symbol`` in Values, which goes from ``first`` by ``step`` and is never beyond ``last``), ``trip``
    the iteration count (None if unknown), ``depth`` from 1, counted through calls."""

    header: Site
    variable: str
    trip: Value | None
    depth: int
    body: tuple[Node, ...] = ()
    loop_symbol: str = ""
    step: Value | None = None
    first: Value | None = None
    last: Value | None = None


@dataclass(slots=True, eq=False)
class BranchNode:
    """An undecided branch; ``arms`` has at least two entries (an absent ``else`` is an empty arm)."""

    site: Site
    conditions: tuple[Value | None, ...]
    arms: tuple[tuple[Node, ...], ...] = ()


@dataclass(slots=True, eq=False)
class CallNode:
    """An inlined call of a function of the operator."""

    call: Site
    function: str
    body: tuple[Node, ...] = ()


Node = Event | LoopNode | BranchNode | CallNode
EventT = TypeVar("EventT", bound=Event)
T = TypeVar("T")


def walk_events(nodes: Iterable[Node]) -> Iterator[Event]:
    """All events below ``nodes`` in program order."""
    for node in nodes:
        if isinstance(node, Event):
            yield node
        elif isinstance(node, BranchNode):
            for arm in node.arms:
                yield from walk_events(arm)
        else:
            yield from walk_events(node.body)


def exclusive(left: Event, right: Event) -> bool:
    """True when the two lie in different arms of one branch, or in arms whose conditions contradict each other."""
    ours = [step for step in left.path if isinstance(step, ArmStep)]
    theirs = [step for step in right.path if isinstance(step, ArmStep)] if ours else ()
    if not theirs:
        return False
    arms = {id(step.branch): step.arm for step in ours}
    if any(arms.get(id(step.branch), step.arm) != step.arm for step in theirs):
        return True
    denied = {step.denied for step in ours}
    return any(step.condition in denied for step in theirs if step.condition is not None)


@dataclass(frozen=True)
class TilingRead:
    """A place where the kernel names a field of its tiling data; ``field`` is dotted for nested ones, without index."""

    field: str
    site: Site


@dataclass(frozen=True, eq=False)
class Instance:
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
    _kinds: dict[type[Event], tuple[Event, ...]] = field(default_factory=dict[type[Event], tuple[Event, ...]])
    _derived: dict[str, tuple[object, ...]] = field(default_factory=dict[str, "tuple[object, ...]"])

    def events(self) -> Iterator[Event]:
        """All events in program order."""
        return iter(self._of(Event))

    def of(self, kind: type[EventT]) -> list[EventT]:
        """All events of one class, subclasses included, in program order."""
        return cast("list[EventT]", list(self._of(kind)))

    def derived(self, name: str, make: Callable[[], tuple[T, ...]]) -> tuple[T, ...]:
        """What ``make`` derives from the events, made once; ``name`` says which derivation it is."""
        if name not in self._derived:
            self._derived[name] = make()
        return cast("tuple[T, ...]", self._derived[name])

    def _of(self, kind: type[Event]) -> tuple[Event, ...]:
        known = self._kinds.get(kind)
        if known is None:
            every = self._of(Event) if kind is not Event else walk_events(self.body)
            known = self._kinds[kind] = tuple(event for event in every if isinstance(event, kind))
        return known


@dataclass(frozen=True, eq=False)
class KernelModel:
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
    _derived: dict[str, tuple[object, ...]] = field(init=False, default_factory=dict[str, "tuple[object, ...]"])

    def derived(self, name: str, make: Callable[[], tuple[T, ...]]) -> tuple[T, ...]:
        """What ``make`` derives from all instances, made once; ``name`` says which derivation it is."""
        if name not in self._derived:
            self._derived[name] = make()
        return cast("tuple[T, ...]", self._derived[name])

    @property
    def entries(self) -> tuple[FunctionFact, ...]:
        """The ``__global__`` functions."""
        return tuple(function for function in self.functions if function.is_entry)
