"""Two buffers let copies run beside the work.

## What it says
A queue has one buffer, is filled once in each round of a loop, and UB has room for a second one.

## Why
The next copy waits until the tensor of this round is free: MTE2, the vector unit and MTE3 run one after the other.

## Example
```cpp
pipe.InitBuffer(xQueue, 1, n);  // and AllocTensor in the tile loop
```

## Instead
``InitBuffer(xQueue, 2, n)``, with a shorter tile where UB is full.

## Source
asc-devkit: double buffering, description.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import InitBufferEvent, QueueEvent
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.rules.traffic import worth_shaping
from ascendopt.analysis.rules.ub_budget import budget

QUEUED = frozenset({"VECIN", "VECOUT"})


def check(context: Context) -> Iterator[Finding]:
    limit = context.chip.usable_ub_bytes
    for instance in context.instances():
        used = budget(context, instance)
        if limit is None or not used.complete:
            continue
        room = limit - used.total
        for event in instance.of(InitBufferEvent):
            queue, size = event.queue, context.number(event.total)
            if queue is None or queue.is_buffer or queue.positions[0] not in QUEUED or context.number(event.num) != 1:
                continue
            filled = [one for one in instance.of(QueueEvent) if one.queue == queue and one.op == "AllocTensor"]
            if (
                size is None
                or size > room
                or not filled
                or not all(worth_shaping(context, one, size) for one in filled)
            ):
                continue
            room -= size
            yield RULE.finding(
                event.site,
                f"{queue.name} has one buffer and is filled in a loop: copies and work run one after the other. A "
                "second one "
                f"takes {size} bytes, and {room + size} of {limit} are free",
                facts={"queue": queue.name, "bytes": size, "free_bytes": room + size},
                related=context.host_side(event.total),
                fix=edits.fix("two buffers", edits.buffers(event, 2), safe=False, of_run=True),
            )


RULE = Rule("ASC-QUE011", "single-buffer-in-a-loop", Severity.PERF, check)
