"""PipeBarrier<PIPE_ALL> in a loop.

## What it says
A barrier over all pipes stands in a loop of the kernel.

## Why
Every pipe waits for every other one in each iteration: copies and computation no longer overlap, and double
buffering brings nothing.

## Example
```cpp
for (uint32_t i = 0; i < tiles; ++i) {
    CopyIn(i);
    PipeBarrier<PIPE_ALL>();
    Compute();
}
```

## Instead
Queues already order copies and computation through ``EnQue`` and ``DeQue``. Where tensors do not come from a
queue, use ``SetFlag``/``WaitFlag`` between the two pipes concerned.

## Source
asc-devkit: PipeBarrier, constraints, item 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.model import BarrierEvent
from ascendopt.analysis.findings import Finding, Fix, Severity, TextEdit
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for barrier in instance.of(BarrierEvent):
            if barrier.pipe == "PIPE_ALL" and barrier.in_loop:
                yield RULE.finding(
                    barrier.site,
                    "PipeBarrier<PIPE_ALL> in a loop makes every pipe wait for every other one in each iteration: "
                    "copies and computation do not overlap. Let the queues order them, or set and wait for the one "
                    "event that is needed",
                    facts={"pipe": barrier.pipe, "loop_depth": len(barrier.loops)},
                    fix=Fix(
                        "AscendC: remove the barrier", (TextEdit(barrier.site.path, barrier.site.span, ""),), safe=False
                    ),
                )


RULE = Rule("ASC-SYN007", "barrier-all-in-loop", Severity.PERF, check)
