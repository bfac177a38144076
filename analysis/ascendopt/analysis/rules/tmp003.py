"""Forms with masks and repeats are emulated on 950.

## What it says
A vector call in its mask-and-repeat form is compiled for 950.

## Why
The vector unit of 950 works on registers: these forms are emulated, slower, and take 8 KB of UB.

## Example
```cpp
Add(z, x, y, 64, 4, {1, 1, 1, 8, 8, 8});  // --soc Ascend950
```

## Instead
Use the form with an element count, or registers.

## Source
asc-devkit: Add, constraints (UB).
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.count_form import count_form
from ascendopt.analysis.rules.rule import Context, Rule

SCRATCH_BYTES = 8192


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            if reading.page.pipe == "V" and reading.mask is not None and reading.repeats is not None:
                yield RULE.finding(
                    reading.call.site,
                    f"{reading.call.name} with masks and repeats is emulated on {context.chip.name} and takes "
                    f"{SCRATCH_BYTES} bytes of UB. Use the form with a count",
                    facts={"api": reading.call.name, "bytes": SCRATCH_BYTES},
                    fix=count_form(context, instance, reading),
                )


RULE = Rule("ASC-TMP003", "mask-form-scratch-950", Severity.WARNING, check, families=frozenset({"950"}))
