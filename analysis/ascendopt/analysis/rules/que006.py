"""Double buffering is a number of buffers, not a depth.

## What it says
A queue has depth 2 or more and is never enqueued twice in a row.

## Why
The depth is how many tensors wait in the queue at once. With 1 the compiler has a fast path; two buffers overlap
copies with work whatever the depth is.

## Example
```cpp
TQue<TPosition::VECIN, 2> xQueue;  // one EnQue, one DeQue per tile
```

## Instead
Write depth 1 and keep ``InitBuffer(xQueue, 2, ..)``.

## Source
asc-devkit: TQue, table 1, depth.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.model import QueueEvent, QueueFact
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        if not instance.complete:
            continue
        waiting: dict[QueueFact, int] = {}
        most: dict[QueueFact, int] = {}
        for event in instance.of(QueueEvent):
            queue = event.queue
            if queue is None or queue.is_buffer:
                continue
            if event.op == "EnQue":
                waiting[queue] = waiting.get(queue, 0) + 1
                most[queue] = max(most.get(queue, 0), waiting[queue])
            elif event.op == "DeQue":
                waiting[queue] = 0
        deep: dict[tuple[object, str], list[QueueFact]] = {}
        for queue, highest in most.items():
            depth = context.number(queue.depth)
            if depth is not None and depth >= 2 and highest < 2 and queue.count == 1:
                deep.setdefault((queue.site.path, queue.owner), []).append(queue)
        for queues in deep.values():
            yield _finding(context, sorted(queues, key=lambda queue: queue.site.span))


def _finding(context: Context, queues: list[QueueFact]) -> Finding:
    """One finding for the queues of a class, at the first."""
    first, *others = queues
    depth = context.number(first.depth)
    said = f"{first.name} has depth {depth} and holds"
    if others:
        said = f"{first.name} and {', '.join(queue.name for queue in others)} have depth {depth} or more and hold"
    return RULE.finding(
        first.site,
        f"{said} one tensor at a time. Depth 1 is faster; the number of buffers is that of InitBuffer",
        facts={"queue": first.name, "depth": depth, "queues": len(queues)},
        related=tuple(Related(one.site.path, one.site.span, "and here") for one in others),
    )


RULE = Rule("ASC-QUE006", "depth-without-burst", Severity.PERF, check)
