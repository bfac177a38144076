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

from ascendopt.analysis.facts.model import QueueEvent
from ascendopt.analysis.findings import Finding, Severity
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
                )
            elif depth and event.in_place:
                yield RULE.finding(
                    event.site,
                    f"{queue.name} has depth {depth}, and {event.op} into a tensor needs depth 0",
                    facts={"queue": queue.name, "depth": depth, "op": event.op},
                )


RULE = Rule("ASC-QUE005", "in-place-needs-depth-zero", Severity.ERROR, check)
