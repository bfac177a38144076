"""There is no barrier for the scalar unit.

## What it says
A ``PipeBarrier<PIPE_S>`` is called.

## Why
The scalar unit runs in order: the value is not supported.

## Example
```cpp
PipeBarrier<PIPE_S>();
```

## Instead
Leave it out.

## Source
asc-devkit: PipeBarrier, constraints, item 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import BarrierEvent
from ascendopt.analysis.findings import Finding, Fix, Severity, TextEdit
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for barrier in instance.of(BarrierEvent):
            if barrier.pipe == "PIPE_S":
                yield RULE.finding(
                    barrier.site,
                    "PipeBarrier<PIPE_S> is not supported: the scalar unit keeps its order by itself. Leave it out",
                    fix=Fix("AscendC: remove the barrier", (TextEdit(barrier.site.path, barrier.site.span, ""),)),
                )


RULE = Rule("ASC-SYN006", "scalar-barrier", Severity.ERROR, check)
