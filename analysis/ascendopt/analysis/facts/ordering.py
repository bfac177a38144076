"""What the pipes of a core know of each other: accesses to local memory that no flag orders.

The pipes S, V, MTE2, MTE3, MTE1, M and FIX run side by side. A pipe learns that another one has finished something
from a flag (``SetFlag``/``WaitFlag``), from a queue (``EnQue`` sets one, ``DeQue`` waits for it, ``FreeTensor`` and
``AllocTensor`` the other way round), or from ``PipeBarrier<PIPE_ALL>``. Each pipe carries, for every other pipe, the
last event of it that it knows to be finished; an access to what a pipe wrote later than that is a race.

The events are walked once in program order. Where a choice has to be made the walk assumes more order than there
may be (both arms of a branch have synchronised, ``AllocTensor`` got the buffer that was freed last), so that what it
reports holds on some path.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ascendopt.analysis.facts.declared import TensorFact
from ascendopt.analysis.facts.events import (
    ApiCall,
    ArmStep,
    BarrierEvent,
    CallNode,
    CopyEvent,
    Event,
    ExitEvent,
    FlagEvent,
    LoopNode,
    LoopStep,
    Node,
    QueueEvent,
    ScalarAccess,
    exclusive,
    walk_events,
)
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.readings import Reading, readings

PIPES = ("S", "V", "MTE1", "MTE2", "MTE3", "M", "FIX")
# Who fills and who empties the tensors of a queue, by its first and last position.
_L1 = dict.fromkeys(("A1", "B1", "C1"), "MTE2")
_FILLS = {"VECIN": "MTE2", "VECOUT": "V", **_L1, "A2": "MTE1", "B2": "MTE1", "CO1": "M"}
_EMPTIES = {"VECIN": "V", "VECOUT": "MTE3", **dict.fromkeys(_L1, "MTE1"), "A2": "M", "B2": "M", "CO1": "FIX"}
_LOCKS = ("Lock", "Unlock")
_UB = ("VECIN", "VECOUT", "VECCALC")
# The library moves their result with the scalar unit, which has waited for it when the call returns.
_ENDS_ON_SCALAR = frozenset({"ReduceSum", "ReduceMax", "ReduceMin"})
_Known = dict[str, int]


@dataclass(frozen=True)
class Access:
    """One use of local memory: ``pipe`` reads or writes ``tensor``."""

    event: ApiCall
    pipe: str
    tensor: TensorFact
    writes: bool
    position: int


@dataclass(frozen=True)
class Race:
    """Two accesses that nothing orders. ``flag`` is the event that is missing (``MTE2_V``). With ``is_next_round``
    ``after`` comes a round of their loop later."""

    before: Access
    after: Access
    is_next_round: bool = False

    @property
    def flag(self) -> str:
        """The pair of pipes."""
        return f"{self.before.pipe}_{self.after.pipe}"


@dataclass
class Pipes:
    """What each pipe knows to be finished of each other one, by position in the walk."""

    known: dict[str, _Known] = field(default_factory=lambda: {pipe: dict.fromkeys(PIPES, -1) for pipe in PIPES})
    flags: dict[str, _Known] = field(default_factory=dict[str, _Known])

    def snapshot(self, pipe: str, position: int) -> _Known:
        """What a flag set by ``pipe`` carries: its own work up to here, and what it knows of the others."""
        return {**self.known[pipe], pipe: position}

    def learn(self, pipe: str, news: _Known) -> None:
        """``pipe`` waited for a flag that carries ``news``."""
        mine = self.known[pipe]
        for other, position in news.items():
            mine[other] = max(mine[other], position)
        if pipe == "S":
            # What the scalar unit issues later starts after its wait.
            for later in PIPES:
                if later != "S":
                    self.learn(later, {other: at for other, at in self.known["S"].items() if other != later})

    def meet(self, position: int) -> None:
        """Every pipe has finished everything."""
        for pipe in PIPES:
            self.known[pipe] = dict.fromkeys(PIPES, position)

    def pass_by(self, event: Event, position: int) -> None:
        """What the pipes learn from ``event``."""
        if isinstance(event, BarrierEvent):
            if event.pipe == "PIPE_ALL":
                self.meet(position)
        elif isinstance(event, FlagEvent):
            _flag(self, event, position)
        elif isinstance(event, QueueEvent):
            _queue(self, event, position)
        elif isinstance(event, ApiCall):
            if event.name in ("SyncAll", "CrossCoreWaitFlag", "IBWait"):
                self.meet(position)
            elif event.name in _ENDS_ON_SCALAR:
                self.learn("S", self.snapshot("V", position))


def races(instance: Instance) -> tuple[Race, ...]:
    """Accesses of ``instance`` to one local tensor by two pipes that nothing orders, each pair of places once.

    Nothing is found in an instance that could not be followed completely.
    """
    return instance.derived("races", lambda: tuple(_find(instance)) if instance.complete and _is_told(instance) else ())


def _is_told(instance: Instance) -> bool:
    """False where locks of 950 order the pipes: which ones they hold back is not followed."""
    return not any(call.name in _LOCKS for call in instance.of(ApiCall))


def _find(instance: Instance) -> Iterator[Race]:
    read = {id(reading.call): reading for reading in readings(instance)}
    pipes, past = Pipes(), dict[object, list[Access]]()
    for position, event in enumerate(instance.events()):
        if isinstance(event, ApiCall):
            for access in accesses(event, read.get(id(event)), position):
                yield from _unordered(pipes, past, access)
        pipes.pass_by(event, position)
    for loop in _loops(instance.body):
        yield from _between_rounds(loop, read)


def _loops(nodes: Iterable[Node]) -> Iterator[LoopNode]:
    for node in nodes:
        if isinstance(node, LoopNode):
            yield node
        if isinstance(node, (LoopNode, CallNode)):
            yield from _loops(node.body)


def _between_rounds(loop: LoopNode, read: dict[int, Reading]) -> Iterator[Race]:
    """Races of what a round of ``loop`` does with what the next round does: its events once more. Only places in TBufs
    that are the same in every round count, and only what no branch may pass by."""
    if loop.trip is not None and loop.trip.constant() in (0, 1):
        return
    events = list(walk_events(loop.body))
    if any(isinstance(event, ExitEvent) for event in events):
        return
    pipes, past, said = Pipes(), dict[object, list[Access]](), set[object]()
    for position, event in enumerate((*events, *events)):
        if isinstance(event, ApiCall):
            for access in accesses(event, read.get(id(event)), position):
                for race in _unordered(pipes, past, access, latest_first=True):
                    is_next = race.before.position < len(events) <= position
                    # A flag for the first one orders those behind it as well.
                    if is_next and access.tensor.buffer not in said and _is_fixed(race, loop):
                        said.add(access.tensor.buffer)
                        yield Race(race.before, race.after, is_next_round=True)
        pipes.pass_by(event, position)


def _is_fixed(race: Race, loop: LoopNode) -> bool:
    """True when the two touch one place of a TBuf in every round, and every round of ``loop`` does both."""
    queue, offset = race.after.tensor.queue, race.after.tensor.offset
    if (
        "S" in (race.before.pipe, race.after.pipe)
        or queue is None
        or not queue.is_buffer
        or offset is None
        or not offset.is_constant
    ):
        return False
    return all(_is_straight(one.event, loop) for one in (race.before, race.after))


def _is_straight(event: Event, loop: LoopNode) -> bool:
    """True when nothing but ``loop`` and those around it decides whether the event happens."""
    return all(isinstance(step, LoopStep) for step in event.path) and event.loops[-1].loop is loop


def _flag(pipes: Pipes, event: FlagEvent, position: int) -> None:
    source, _, target = event.event.partition("_")
    if source not in PIPES or target not in PIPES:
        pipes.meet(position)  # an event that is not understood may order anything
    elif "wait" in event.name.lower():
        pipes.learn(target, pipes.flags.get(event.event, {}))
    else:
        pipes.flags[event.event] = pipes.snapshot(source, position)


def _queue(pipes: Pipes, event: QueueEvent, position: int) -> None:
    queue = event.queue
    if queue is None:
        pipes.meet(position)
        return
    fills, empties = _FILLS.get(queue.positions[0]), _EMPTIES.get(queue.positions[-1])
    if queue.is_buffer or fills is None or empties is None:
        return
    forward, back = f"{queue.name}:{fills}_{empties}", f"{queue.name}:{empties}_{fills}"
    if event.op == "EnQue":
        pipes.flags[forward] = pipes.snapshot(fills, position)
    elif event.op == "DeQue":
        pipes.learn(empties, pipes.flags.get(forward, {}))
    elif event.op == "FreeTensor":
        pipes.flags[back] = pipes.snapshot(empties, position)
    elif event.op == "AllocTensor":
        pipes.learn(fills, pipes.flags.get(back, {}))


def accesses(call: ApiCall, reading: Reading | None, position: int) -> Iterator[Access]:
    """The uses that ``call`` makes of local memory."""
    if isinstance(call, ScalarAccess):
        if call.receiver is not None and call.receiver.memory == "local":
            yield Access(call, "S", call.receiver, call.name == "SetValue", position)
        return
    if isinstance(call, CopyEvent):
        pipe = {"in": "MTE2", "out": "MTE3", "local": "V"}.get(call.direction)
        if any(argument.tensor is not None and _is_in_cube(argument.tensor) for argument in call.args[:2]):
            pipe = None  # each pair of these memories has a pipe of its own
        for index, argument in enumerate(call.args[:2]):
            if pipe is not None and argument.tensor is not None and argument.tensor.memory == "local":
                yield Access(call, pipe, argument.tensor, index == 0, position)
        return
    if reading is None or reading.page.pipe != "V":
        return
    for operand in reading.operands:
        tensor = operand.argument.tensor
        if tensor is not None and tensor.memory == "local":
            yield Access(call, "V", tensor, operand.is_destination, position)


def _is_in_cube(tensor: TensorFact) -> bool:
    """True for tensors in L1, L0 and the small buffers beside them."""
    return tensor.memory == "local" and tensor.position is not None and tensor.position not in _UB


def _unordered(
    pipes: Pipes, past: dict[object, list[Access]], access: Access, *, latest_first: bool = False
) -> Iterator[Race]:
    buffer = access.tensor.buffer
    if buffer is None:
        return
    before = past.setdefault(buffer, [])
    for earlier in reversed(before) if latest_first else before:
        conflict = earlier.pipe != access.pipe and (earlier.writes or access.writes)
        known = pipes.known[access.pipe][earlier.pipe] >= earlier.position
        if known or not conflict or not _overlap(earlier, access) or not _both_run(earlier.event, access.event):
            continue
        if not any(_writes_the_same(writer, access) for writer in before):
            yield Race(earlier, access)
            break
    if access.pipe == "S":
        # The compiler lets the scalar unit wait for what it touches, unless it is told not to.
        for earlier in before:
            if (earlier.writes or access.writes) and _overlap(earlier, access):
                pipes.learn("S", {earlier.pipe: earlier.position})
    # The last access of each pipe and kind says all: what is ordered after it is ordered after the ones before.
    kind = _kind(access)
    before[:] = [one for one in before if _kind(one) != kind]
    before.append(access)


def _both_run(left: Event, right: Event) -> bool:
    """True when some path surely goes through both: one of them stands in no arm that the other one is not in, or the
    arms of the two ask for different things."""
    if exclusive(left, right):
        return False
    ours, theirs = _arms(left), _arms(right)
    apart = [
        [step for key, step in mine.items() if key not in other] for mine, other in ((ours, theirs), (theirs, ours))
    ]
    if not all(apart):
        return True
    conditions = [step.condition for steps in apart for step in steps]
    if any(condition is None or not condition.is_known for condition in conditions):
        return False
    names = [
        {name for step in steps if step.condition is not None for name in step.condition.symbols()} for steps in apart
    ]
    return not names[0] & names[1]


def _arms(event: Event) -> dict[tuple[int, int], ArmStep]:
    return {(id(step.branch), step.arm): step for step in event.path if isinstance(step, ArmStep)}


def _writes_the_same(earlier: Access, access: Access) -> bool:
    """True when the access fills the place with the number that is there already: whoever reads it sees no change."""
    if not (earlier.writes and access.writes) or earlier.event.name != "Duplicate" or not _overlap(earlier, access):
        return False
    numbers = [event.args[1].text for event in (earlier.event, access.event) if len(event.args) > 1]
    return access.event.name == "Duplicate" and len(numbers) == 2 and numbers[0] == numbers[1]


def _kind(access: Access) -> tuple[str, bool, object]:
    return (access.pipe, access.writes, access.tensor.offset)


def _overlap(left: Access, right: Access) -> bool:
    """Only accesses that start at the same place surely meet."""
    return left.tensor.offset is not None and left.tensor.offset == right.tensor.offset
