"""What a run of a kernel does: events, and the loops, branches and calls that they stand in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ascendopt.analysis.facts.declared import (
    Argument,
    PipeFact,
    QueueFact,
    Site,
    TensorFact,
)
from ascendopt.analysis.facts.places import Place
from ascendopt.analysis.findings import Span
from ascendopt.analysis.values import Value, negate


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
class PlacementEvent(Event):
    """A tensor without a pipe: ``LocalTensor<T> x(position, address, n)``, or ``allocator.Alloc<T, n>()``, which takes
    the place behind the one before: it has no ``address``, the other no ``allocator``. ``bytes`` is None where the
    length is not known."""

    tensor: TensorFact
    address: Value | None
    bytes: Value | None
    allocator: str = ""


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
