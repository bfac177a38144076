"""At most 64 buffers in a kernel.

## What it says
More than 64 buffers are taken with ``InitBuffer``, counted over all queues (``num`` each) and ``TBuf`` objects
and over the iterations of a loop around the call.

## Why
The buffer table of a ``TPipe`` has 64 entries. Taking more overwrites the table; buffers are not given back
when a queue is initialised again.

## Example
```cpp
for (uint32_t i = 0; i < 80; ++i) {
    pipe.InitBuffer(xQueue, 1, 1024);  // 80 buffers
}
```

## Instead
Initialise each queue once, before the loop. Share one ``TBuf`` and take slices of it.

## Source
asc-devkit: InitBuffer, constraints; kernel_macros.h (QBUF_MAX_LEN).
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.model import InitBufferEvent, PipeEvent
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

LIMIT = 64


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        if any(event.op in ("Reset", "Destroy") for event in instance.of(PipeEvent)):
            continue
        running = 0
        for event in instance.of(InitBufferEvent):
            each = context.number(event.num) or 0
            trips = 1
            for step in event.loops:
                trips *= context.number(step.trip) or 1
            running += each * trips
            if running > LIMIT:
                yield _finding(context, event, running, trips)
                break


def _finding(context: Context, event: InitBufferEvent, running: int, trips: int) -> Finding:
    where = f"InitBuffer runs {trips} times inside the loop: " if trips > 1 else ""
    return RULE.finding(
        event.site,
        f"{where}{running} buffers, limit of {LIMIT} buffers per kernel; "
        "UB is not given back between calls. Initialise each queue once, before the loop",
        facts={"buffers": running, "limit": LIMIT, "iterations": trips},
        case=context.case_of(event.num, *(step.trip for step in event.loops)),
    )


RULE = Rule("ASC-MEM003", "too-many-buffers", Severity.ERROR, check)
