"""A strided copy of no rows, or of rows of no length, copies nothing.

## What it says
A ``DataCopy`` has a constant ``blockCount`` or ``blockLen`` of 0.

## Why
The instruction is a no-op: what is read afterwards was never written. Often a length in bytes was divided by 32 and
is shorter than a block.

## Example
```cpp
DataCopy(x, xGm, {4, 16 / 32, 0, 0});  // blockLen 0
```

## Instead
Use at least one block, or leave the call out. ``DataCopyPad`` counts bytes.

## Source
asc-devkit: DataCopy (strided copy between GM and UB), constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

FIELDS = ("blockCount", "blockLen")


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            if reading.call.name != "DataCopy":
                continue
            for argument in reading.call.args:
                empty = next((name for name in FIELDS if context.number(argument.field(name)) == 0), None)
                if argument.struct == "DataCopyParams" and empty is not None:
                    yield RULE.finding(
                        reading.call.site,
                        f"{empty} is 0: nothing is copied. blockLen counts blocks of 32 bytes",
                        facts={"field": empty},
                        related=context.host_side(argument.field(empty)),
                        case=context.case_of(argument.field(empty)),
                    )


RULE = Rule("ASC-RNG002", "copy-of-nothing", Severity.WARNING, check)
