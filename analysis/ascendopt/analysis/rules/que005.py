"""Queues of depth 0 hand out tensors by reference.

## What it says
A queue of depth 0 is used by the calls that return a tensor, or a queue of another depth by those that fill one in.

## Why
The two forms belong to two kinds of queue: the wrong one does not compile.

## Example
```cpp
TQue<TPosition::VECIN, 0> q;
LocalTensor<float> x = q.AllocTensor<float>();
```

## Instead
Use ``q.AllocTensor<float>(x)``, or depth 1.

## Source
asc-devkit: AllocTensor, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import QueueFact
from ascendopt.analysis.facts.events import QueueEvent
from ascendopt.analysis.findings import Finding, Fix, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for event in instance.of(QueueEvent):
            queue = event.queue
            if queue is None or queue.is_buffer or event.op not in ("AllocTensor", "DeQue"):
                continue
            depth = context.number(queue.depth)
            if depth == 0 and not event.in_place:
                yield RULE.finding(
                    event.site,
                    f"{queue.name} has depth 0, and {event.op} that returns a tensor needs another depth. Use "
                    f"{queue.name}.{event.op}<T>(tensor), or depth 1",
                    facts={"queue": queue.name, "depth": 0, "op": event.op},
                    fix=_fix(context, queue, 1),
                )
            elif depth and event.in_place:
                yield RULE.finding(
                    event.site,
                    f"{queue.name} has depth {depth}, and {event.op} into a tensor needs depth 0",
                    facts={"queue": queue.name, "depth": depth, "op": event.op},
                    fix=_fix(context, queue, 0),
                )


def _fix(context: Context, queue: QueueFact, depth: int) -> Fix | None:
    """The depth that all calls on the queue ask for; safe because none of them compiles with another."""
    every = context.facts.kernel.instances if context.facts is not None else context.kernel.instances
    ways = {
        event.in_place
        for instance in every
        for event in instance.of(QueueEvent)
        if event.queue == queue and event.op in ("AllocTensor", "DeQue")
    }
    return edits.fix(f"depth {depth}", edits.depth(queue, depth), safe=True) if ways == {depth == 0} else None


RULE = Rule("ASC-QUE005", "in-place-needs-depth-zero", Severity.ERROR, check)
