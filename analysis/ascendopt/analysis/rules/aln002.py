"""Operands in L1 start at a multiple of 32 bytes.

## What it says
A copy or load uses a tensor in L1 (A1, B1, C1, TSCM) at an offset that is no multiple of 32 bytes.

## Why
The engines address L1 in blocks of 32 bytes: another start raises an exception or breaks fractals apart.

## Example
```cpp
LoadData(a2, a1[8], params);  // half: 16 bytes into the buffer
```

## Instead
Use offsets of whole fractals (512 bytes).

## Source
asc-devkit: general notes and constraints, table 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.alignment import misplaced
from ascendopt.analysis.rules.rule import Context, Rule

ALIGN = 32
POSITIONS = frozenset({"A1", "B1", "C1", "TSCM"})


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
                        f"operands in L1 start at a multiple of {ALIGN} bytes"
                        ". Use offsets of whole fractals, 512 bytes",
                        facts={"api": reading.call.name, **found.facts},
                        related=found.related,
                        case=found.case,
                    )
                    break


RULE = Rule("ASC-ALN002", "l1-operand-alignment", Severity.ERROR, check)
