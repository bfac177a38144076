"""The queues of one position share eight event ids.

## What it says
The buffers of all queues on one position are more than eight (four on 910).

## Why
Each buffer holds an event id of its pair of pipes while it is in use, and there are eight: the next ``AllocTensor``
asserts or waits for ever.

## Example
```cpp
pipe.InitBuffer(aQueue, 4, n); pipe.InitBuffer(bQueue, 5, n);  // both VECIN
```

## Instead
Use fewer buffers, or one queue whose tensors hold several operands.

## Source
asc-devkit: AllocTensor, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import InitBufferEvent, PipeEvent
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

IDS = {"910": 4}
MOST = 8
QUEUED = frozenset({"VECIN", "VECOUT", "A1", "B1", "A2", "B2", "CO1"})


def check(context: Context) -> Iterator[Finding]:
    limit = IDS.get(context.chip.family, MOST)
    for instance in context.instances():
        if any(event.op in ("Reset", "Destroy") for event in instance.of(PipeEvent)):
            continue
        used: dict[str, int] = {}
        for event in instance.of(InitBufferEvent):
            queue = event.queue
            if queue is None or queue.is_buffer or queue.positions[0] not in QUEUED or event.path:
                continue
            position = queue.positions[0]
            used[position] = used.get(position, 0) + (context.number(event.num) or 0)
            if used[position] > limit:
                yield RULE.finding(
                    event.site,
                    f"the queues on {position} have {used[position]} buffers and {context.chip.name} has {limit} "
                    "event ids "
                    "for them: with all in use AllocTensor does not return. Use fewer, or pack operands into one queue",
                    facts={"position": position, "buffers": used[position], "limit": limit},
                    severity=Severity.WARNING,
                )
                break


RULE = Rule("ASC-MEM004", "queue-buffers-per-position", Severity.ERROR, check)
