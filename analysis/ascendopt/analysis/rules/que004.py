"""A TBuf has no queue.

## What it says
``EnQue`` or ``DeQue`` is called on a ``TBuf``, or a tensor that ``Get`` of a ``TBuf`` gave is put into a queue.

## Why
A ``TBuf`` is memory and nothing else: no event is set or waited for. Older library versions accept the calls and do
nothing. A queue waits with the event of the buffer that it handed out itself, and takes back no other one.

## Example
```cpp
work.EnQue(t);  // TBuf<TPosition::VECCALC> work
```

## Instead
Use a ``TQue``, or flags.

## Source
asc-devkit: TBuf, differences from TQue.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import QueueFact
from ascendopt.analysis.facts.events import BufferGetEvent, QueueEvent
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        lent = {
            event.tensor.handle: event
            for event in instance.of(BufferGetEvent)
            if event.tensor.handle is not None and event.tensor.queue is not None and event.tensor.queue.is_buffer
        }
        for event in instance.of(QueueEvent):
            taken = lent.get(event.handle) if event.handle is not None else None
            if taken is not None and event.is_certain and event.queue is not None and not event.queue.is_buffer:
                yield _of_a_buffer(event, event.queue, taken)
            if event.queue is not None and event.queue.is_buffer and event.op in ("EnQue", "DeQue"):
                yield RULE.finding(
                    event.site,
                    f"{event.op} on {event.queue.name}, a TBuf: it has no events, nothing is waited for. Use a "
                    "TQue or flags",
                    facts={"buffer": event.queue.name, "op": event.op},
                )


def _of_a_buffer(event: QueueEvent, queue: QueueFact, taken: BufferGetEvent) -> Finding:
    buffer = taken.tensor.queue.name if taken.tensor.queue is not None else ""
    return RULE.finding(
        event.site,
        f"{event.tensor_name} is memory of {buffer}, a TBuf, and goes to {queue.name} by {event.op}: the queue has no "
        f"event for it, and never handed it out. Take the tensor with {queue.name}.AllocTensor",
        facts={"buffer": buffer, "queue": queue.name, "op": event.op},
        related=(Related(taken.site.path, taken.site.span, f"{buffer} gives it here"),),
    )


RULE = Rule("ASC-QUE004", "tbuf-in-a-queue", Severity.ERROR, check)
