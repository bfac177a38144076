"""AllocTensor and FreeTensor come in pairs.

## What it says
A tensor that ``AllocTensor`` or ``DeQue`` returned is never given back, or is given back twice.

## Why
A queue has as many buffers as ``InitBuffer`` gave it. Once all are out, the next ``AllocTensor`` waits for
ever; a buffer that is freed twice is handed out while it is still in use.

## Example
```cpp
LocalTensor<float> scale = scaleQueue.DeQue<float>();
Mul(y, x, scale, n);
yQueue.EnQue(y);
// scaleQueue.FreeTensor(scale) is missing: the third tile hangs with two buffers
```

## Instead
Free each tensor after its last use, on every path.

## Source
asc-devkit: AllocTensor, FreeTensor, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.model import InitBufferEvent, Instance, QueueEvent, exclusive
from ascendopt.analysis.findings import Finding, Fix, Related, Severity, Span, TextEdit
from ascendopt.analysis.rules.rule import Context, Rule

CREATES = frozenset({"AllocTensor", "DeQue"})
CONSUMES = frozenset({"FreeTensor", "EnQue"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        events = instance.of(QueueEvent)
        if instance.complete:
            yield from _never_freed(context, instance, events)
        yield from _freed_twice(events)


def _never_freed(context: Context, instance: Instance, events: list[QueueEvent]) -> Iterator[Finding]:
    consumed = {event.handle for event in events if event.op in CONSUMES}
    if None in consumed:
        return
    enqueued = {event.handle for event in events if event.op == "EnQue"}
    # FreeTensor with the name from before EnQue gives the buffer back just as well.
    by_old_name = {event.queue for event in events if event.op == "FreeTensor" and event.handle in enqueued}
    for event in events:
        if event.op not in CREATES or event.handle is None or event.handle in consumed or event.queue is None:
            continue
        if _is_for_the_next_round(events, event):
            continue
        if event.queue.is_buffer:
            continue  # a TBuf has one tensor that is handed out again and again
        if event.op == "DeQue" and event.queue in by_old_name:
            continue
        depth = _buffers(context, instance, event)
        taken = _allocated(context, events, event)
        if depth is not None and taken is not None and taken <= depth:
            continue  # taken no more often than there are buffers: kept to the end, and nobody waits for it
        after = "" if depth is None else f"the queue has {depth} buffers, so AllocTensor number {depth + 1} blocks"
        yield RULE.finding(
            event.site,
            f"tensor taken from {event.queue.name} by {event.op} is never freed: {after or 'the queue runs dry'}. "
            f"Call {event.queue.name}.FreeTensor({event.tensor_name}) after its last use",
            facts={"queue": event.queue.name, "tensor": event.tensor_name, "buffers": depth, "op": event.op},
            related=_allocations(events, event),
        )


def _is_for_the_next_round(events: list[QueueEvent], event: QueueEvent) -> bool:
    """True when the loop around it gives back a tensor that was taken before the loop: at its end it takes the next."""
    if event.op != "AllocTensor" or not event.in_loop:
        return False
    taken = {other.handle: other for other in events if other.op == "AllocTensor" and other.queue == event.queue}
    return any(
        other.op in CONSUMES and other.order < event.order and other.loops[:1] == event.loops[:1]
        for other in events
        if other.queue == event.queue and other.handle in taken and not taken[other.handle].in_loop
    )


def _allocated(context: Context, events: list[QueueEvent], event: QueueEvent) -> int | None:
    """How often AllocTensor runs on the event's queue, as far as it can run together with the event."""
    total = 0
    for other in events:
        if other.op == "AllocTensor" and other.queue == event.queue and not exclusive(other, event):
            runs = _runs(context, other)
            if runs is None:
                return None
            total += runs
    return total


def _runs(context: Context, event: QueueEvent) -> int | None:
    """How often the event happens, when every loop around it has a known count."""
    runs = 1
    for step in event.loops:
        trip = context.number(step.trip)
        if trip is None:
            return None
        runs *= trip
    return runs


def _buffers(context: Context, instance: Instance, event: QueueEvent) -> int | None:
    for init in instance.of(InitBufferEvent):
        if init.queue == event.queue:
            return context.number(init.num)
    return None


def _allocations(events: list[QueueEvent], event: QueueEvent) -> tuple[Related, ...]:
    return tuple(
        Related(other.site.path, other.site.span, "allocated here")
        for other in events
        if other.op == "AllocTensor" and other.queue == event.queue and other is not event
    )


def _freed_twice(events: list[QueueEvent]) -> Iterator[Finding]:
    first: dict[int, QueueEvent] = {}
    for event in events:
        if event.op != "FreeTensor" or event.handle is None:
            continue
        before = first.setdefault(event.handle, event)
        if before is event or not _same_path(before, event):
            continue
        name = event.queue.name if event.queue else event.queue_text
        yield RULE.finding(
            event.site,
            f"{event.tensor_name} is given back to {name} twice: the buffer is handed out while it is still in use",
            facts={"queue": name, "tensor": event.tensor_name},
            related=(Related(before.site.path, before.site.span, "freed here first"),),
            fix=Fix("AscendC: remove the second FreeTensor", (_delete(event),)),
        )


def _same_path(left: QueueEvent, right: QueueEvent) -> bool:
    """True when both certainly run: the same loops and arms around each."""
    return left.path == right.path or left.path == right.path[: len(left.path)]


def _delete(event: QueueEvent) -> TextEdit:
    return TextEdit(event.site.path, Span(event.site.span.start, event.site.span.end), "")


RULE = Rule("ASC-QUE001", "alloc-free-pairing", Severity.ERROR, check)
