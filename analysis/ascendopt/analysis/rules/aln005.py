"""Operands in the bias table start at a multiple of 64 bytes.

## What it says
A copy or ``Mmad`` uses a tensor in the bias table (C2) at an offset that is no multiple of 64 bytes.

## Why
Another start raises an exception.

## Example
```cpp
DataCopy(c2[8], c1, params);  // float: 32 bytes into the table
```

## Instead
Use offsets of 64 bytes; the table holds 1 KB on A2 and A3, 4 KB on 950.

## Source
asc-devkit: general notes and constraints, table 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.alignment import misplaced
from ascendopt.analysis.rules.rule import Context, Rule

ALIGN = 64
POSITIONS = frozenset({"C2"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            for operand in reading.operands:
                tensor = operand.argument.tensor
                if tensor is None or tensor.position not in POSITIONS:
                    continue
                found = misplaced(context, reading.call, operand.argument, ALIGN)
                if found is not None:
                    yield RULE.finding(
                        reading.call.site,
                        f"{reading.call.name} takes {found.operand} at offset {found.text}; "
                        f"operands in the bias table start at a multiple of {ALIGN} bytes"
                        ". Use offsets of 64 bytes",
                        facts={"api": reading.call.name, **found.facts},
                        related=found.related,
                        case=found.case,
                    )
                    break


RULE = Rule("ASC-ALN005", "bias-table-alignment", Severity.ERROR, check)
