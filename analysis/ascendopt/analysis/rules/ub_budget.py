"""How much of UB the buffers of a kernel take: what the rules about its size share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from ascendopt.analysis.facts.events import BranchNode, Event, InitBufferEvent, Node, PipeEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.tiling_model import LAUNCH, TilingSet
from ascendopt.analysis.rules.rule import Context
from ascendopt.analysis.values import Value, number, substitute

LOCAL_OUTSIDE_UB = frozenset({"A1", "B1", "C1", "A2", "B2", "C2", "CO1", "CO2", "TSCM"})


@dataclass(frozen=True)
class Budget:
    """The buffers of the most demanding path, in order, and their bytes where they are numbers."""

    buffers: tuple[InitBufferEvent, ...]
    bytes: tuple[int, ...]
    complete: bool

    @property
    def total(self) -> int:
        return sum(self.bytes)


def budget(context: Context, instance: Instance) -> Budget:
    """UB use of ``instance``: exact when every length is a number, else what is certain at least."""
    if context.case is not None:
        return _budget(context, instance)
    return instance.derived("budget", lambda: (_budget(context, instance),))[0]  # several rules ask


def _budget(context: Context, instance: Instance) -> Budget:
    buffers: list[InitBufferEvent] = []
    best: list[InitBufferEvent] = []
    for event in _worst_path(context, instance.body):
        if isinstance(event, PipeEvent):
            if event.op in ("Reset", "Destroy"):
                best = max(best, buffers, key=lambda some: (_certain(context, some), len(some)))
                buffers = []
        elif isinstance(event, InitBufferEvent) and _in_ub(event):
            buffers.append(event)
    chosen = max(best, buffers, key=lambda some: (_certain(context, some), len(some)))
    sizes = [context.kernel_number(taken(context, event)) for event in chosen]
    certain = tuple(_at_least(context, taken(context, event)) for event in chosen)
    return Budget(tuple(chosen), certain, None not in sizes)


@dataclass(frozen=True)
class Linked:
    """What buffers take at least where the host sets their lengths, and the setting that says so."""

    total: int
    cause: TilingSet


def linked_total(context: Context, used: Budget, limit: int) -> Linked | None:
    """Follow each length to the host expression that set it, for a UB of ``limit`` bytes."""
    facts = context.facts
    if facts is None or facts.tiling is None:
        return None
    total = number(0)
    for event in used.buffers:
        total = total + taken(context, event)
    host = substitute(facts.linked(total), {"host.ub_size": number(limit)})
    least = None if host is None else host.constant()
    fields = sorted(name.split(".", 1)[1] for name in total.symbols() if name.startswith(("tiling.", "arg.")))
    # Where a field is handed on by a launch, its own setting says more.
    sets = sorted((one for name in fields for one in facts.tiling.sets_of(name)), key=lambda one: one.struct == LAUNCH)
    return Linked(least, sets[0]) if least is not None and sets else None


def taken(context: Context, event: InitBufferEvent) -> Value:
    """Bytes that the call takes, all rounds of the loop over an array of queues together."""
    return event.total * _rounds(context, event)


def _rounds(context: Context, event: InitBufferEvent) -> int:
    """How many queues of an array one call in a loop initialises; 1 for a plain queue."""
    count = event.queue.count if event.queue is not None else 1
    trips = [context.kernel_number(step.trip) for step in event.loops]
    if count == 1 or None in trips:
        return 1
    rounds = prod(trip for trip in trips if trip is not None)
    return min(rounds, count) if count is not None else rounds


def _worst_path(context: Context, nodes: tuple[Node, ...]) -> Iterator[Event]:
    """Events in program order, with only the most demanding arm of each branch."""
    for node in nodes:
        if isinstance(node, Event):
            yield node
        elif isinstance(node, BranchNode):
            arms = [list(_worst_path(context, arm)) for arm in node.arms]
            yield from max(
                arms,
                key=lambda arm: _certain(context, [e for e in arm if isinstance(e, InitBufferEvent)]),
                default=list[Event](),
            )
        else:
            yield from _worst_path(context, node.body)


def _certain(context: Context, events: list[InitBufferEvent]) -> int:
    return sum(_at_least(context, taken(context, event)) for event in events if _in_ub(event))


def _at_least(context: Context, value: Value) -> int:
    known = context.kernel_number(value)
    return known if known is not None else max(0, value.lower_bound() or 0)


def _in_ub(event: InitBufferEvent) -> bool:
    return event.queue is None or not LOCAL_OUTSIDE_UB & set(event.queue.positions)


def buffers_of(context: Context, event: InitBufferEvent) -> int | None:
    """How many buffers the call takes."""
    each = context.kernel_number(event.num)
    return each * _rounds(context, event) if each is not None else None


def describe(event: InitBufferEvent, size: int, limit: int, count: int | None) -> str:
    """``xQueue 2 x 25600 bytes (26 %)``."""
    each = f"{count} x {size // count} bytes" if count and count > 1 else f"{size} bytes"
    return f"{event.queue.name if event.queue else event.queue_text} {each} ({round(100 * size / limit)} %)"
