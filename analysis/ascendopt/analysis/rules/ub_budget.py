"""How much of UB the buffers of a kernel take: what the rules about its size share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ascendopt.analysis.facts.model import (
    BranchNode,
    Event,
    InitBufferEvent,
    Instance,
    Node,
    PipeEvent,
)
from ascendopt.analysis.rules.rule import Context
from ascendopt.analysis.values import Value

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
    sizes = [context.number(event.total) for event in chosen]
    certain = tuple(_at_least(context, event.total) for event in chosen)
    return Budget(tuple(chosen), certain, None not in sizes)


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
    return sum(_at_least(context, event.total) for event in events if _in_ub(event))


def _at_least(context: Context, value: Value) -> int:
    known = context.number(value)
    return known if known is not None else max(0, value.lower_bound() or 0)


def _in_ub(event: InitBufferEvent) -> bool:
    return event.queue is None or not LOCAL_OUTSIDE_UB & set(event.queue.positions)


def describe(event: InitBufferEvent, size: int, limit: int, count: int | None) -> str:
    """``xQueue 2 x 25600 bytes (26 %)``."""
    each = f"{count} x {size // count} bytes" if count and count > 1 else f"{size} bytes"
    return f"{event.queue.name if event.queue else event.queue_text} {each} ({round(100 * size / limit)} %)"
