"""GetSystemCycle counts 50 MHz, not core cycles.

## What it says
A kernel reads ``GetSystemCycle``.

## Why
On A2 and A3 the counter runs at 50 MHz (20 ns), on 950 at 1 GHz: a difference is no number of core cycles.

## Example
```cpp
auto cycles = GetSystemCycle() - start;
```

## Instead
Multiply by 20 ns for a time.

## Source
asc-devkit: GetSystemCycle, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

PERIOD = {"A2": "20 ns", "A3": "20 ns", "950": "1 ns"}


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for call in instance.of(ApiCall):
            if call.name == "GetSystemCycle":
                period = PERIOD.get(context.chip.family, "not the core's cycle")
                yield RULE.finding(
                    call.site,
                    f"GetSystemCycle counts a clock of its own (one step is {period}), not core cycles"
                    ". Multiply by that for a time",
                    facts={"api": call.name},
                )
                break


RULE = Rule("ASC-MIS008", "system-cycle-unit", Severity.WARNING, check)
