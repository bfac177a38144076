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

from ascendopt.analysis.facts.events import InitBufferEvent, QueueEvent, exclusive
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Finding, Fix, Related, Severity, Span, TextEdit
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.release import branch_that_keeps, turns_back_on_nothing
from ascendopt.analysis.rules.repair import after, last_use, name_in
from ascendopt.analysis.rules.rule import Context, Rule

CREATES = frozenset({"AllocTensor", "DeQue"})
CONSUMES = frozenset({"FreeTensor", "EnQue"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        events = instance.of(QueueEvent)
        if instance.complete:
            yield from _never_freed(context, instance, events)
            yield from _freed_on_some_paths(context, instance, events)
        yield from _freed_twice(events)
        yield from _freed_elsewhere(events)


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
        if not _is_waited_for(events, event):
            continue
        depth = _buffers(context, instance, event)
        taken = _allocated(context, events, event)
        if depth is not None and taken is not None and taken <= depth:
            continue  # taken no more often than there are buffers: kept to the end, and nobody waits for it
        after = "" if depth is None else f"the queue has {depth} buffers, so AllocTensor number {depth + 1} blocks"
        is_once = depth is not None and _leaked_once(events, event, consumed) < depth
        if is_once:
            after = f"one of the {depth} buffers of the queue is gone from here on"
        yield RULE.finding(
            event.site,
            f"tensor taken from {event.queue.name} by {event.op} is never freed: {after or 'the queue runs dry'}. "
            f"Call {event.queue.name}.FreeTensor({event.tensor_name}) after its last use",
            facts={"queue": event.queue.name, "tensor": event.tensor_name, "buffers": depth, "op": event.op},
            related=_allocations(events, event),
            fix=_free(instance, event),
            severity=Severity.WARNING if is_once else None,
        )


def _leaked_once(events: list[QueueEvent], event: QueueEvent, consumed: set[int | None]) -> float:
    """How many buffers of the event's queue stay away, when each is lost once; infinite where a loop loses them."""
    lost = [one for one in events if one.queue == event.queue and one.op in CREATES and one.handle not in consumed]
    return float("inf") if any(one.in_loop for one in lost) else len(lost)


def _free(instance: Instance, taken: QueueEvent) -> Fix | None:
    """FreeTensor behind the last use, where that stands beside the call that took the tensor."""
    last = last_use(instance, taken.handle, taken) if taken.handle is not None else None
    if last is None:
        return None
    name = name_in(last, taken.handle)
    if name is None:
        return None
    free = after(last.site, f"{taken.queue_text}.FreeTensor({name})")
    return edits.fix("give the tensor back", free, safe=True, of_run=True)


def _freed_on_some_paths(context: Context, instance: Instance, events: list[QueueEvent]) -> Iterator[Finding]:
    consumed = {event.handle for event in events if event.op in CONSUMES}
    if None in consumed:
        return
    for event in events:
        if event.op not in CREATES or event.handle not in consumed or event.queue is None or event.queue.is_buffer:
            continue
        depth, taken = _buffers(context, instance, event), _allocated(context, events, event)
        if depth is not None and taken is not None and taken <= depth:
            continue
        branch = branch_that_keeps(instance, event)
        if branch is not None:
            name = event.queue.name
            yield RULE.finding(
                event.site,
                f"tensor taken from {name} by {event.op} is freed on some paths only: on the others the queue runs "
                f"dry, and AllocTensor blocks. Call {name}.FreeTensor({event.tensor_name}) on every path",
                facts={"queue": name, "tensor": event.tensor_name, "buffers": depth, "op": event.op},
                related=(Related(branch.site.path, branch.site.span, "one side of this branch keeps the tensor"),),
                severity=Severity.WARNING if turns_back_on_nothing(branch) else None,
            )


def _freed_elsewhere(events: list[QueueEvent]) -> Iterator[Finding]:
    """FreeTensor on another queue than the one that the tensor is from."""
    taken = {event.handle: event for event in events if event.op in CREATES and event.handle is not None}
    for event in events:
        origin = taken.get(event.handle) if event.handle is not None else None
        if event.op != "FreeTensor" or origin is None or origin.queue is None or event.queue is None:
            continue
        if origin.queue == event.queue or not event.is_certain or {origin.queue.count, event.queue.count} != {1}:
            continue
        mine, other = origin.queue.name, event.queue.name
        # The buffer itself notes that it is free, and with which event: between queues of the same positions that is
        # the event that the next AllocTensor waits for.
        alike = origin.queue.positions == event.queue.positions
        effect = (
            f"{other} is told about a buffer that it does not own, which a debug build refuses"
            if alike
            else f"the event that is set is one of {other}, and the next AllocTensor of {mine} waits for another"
        )
        yield RULE.finding(
            event.site,
            f"{event.tensor_name} is from {mine} and is given back to {other}: {effect}. Call "
            f"{mine}.FreeTensor({event.tensor_name})",
            facts={"queue": mine, "tensor": event.tensor_name, "given_to": other},
            related=(Related(origin.site.path, origin.site.span, f"taken from {mine} here"),),
            fix=_give_back(event, origin),
            severity=Severity.WARNING if alike else None,
        )


def _give_back(event: QueueEvent, origin: QueueEvent) -> Fix:
    text = f"{origin.queue_text}.FreeTensor({event.tensor_name})"
    return Fix("AscendC: give it back to its own queue", (TextEdit(event.site.path, event.site.span, text),))


def _is_waited_for(events: list[QueueEvent], event: QueueEvent) -> bool:
    """True when AllocTensor runs again after the event: only then does anybody miss the buffer."""
    allocations = [one for one in events if one.op == "AllocTensor" and one.queue == event.queue]
    return event.in_loop or any(one.order > event.order and not exclusive(one, event) for one in allocations)


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
