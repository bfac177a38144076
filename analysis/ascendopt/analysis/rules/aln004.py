"""Operands in L0C start at a multiple of 64 bytes.

## What it says
An ``Mmad``, ``Fixpipe`` or copy uses a tensor in L0C (CO1) at an offset that is no multiple of 64 bytes.

## Why
Another start raises an exception.

## Example
```cpp
Mmad(c[8], a2, b2, params);  // float: 32 bytes into the buffer
```

## Instead
Use offsets of whole fractals of results (1024 bytes of float).

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
POSITIONS = frozenset({"CO1"})


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
                        f"operands in L0C start at a multiple of {ALIGN} bytes"
                        ". Use offsets of whole fractals of results",
                        facts={"api": reading.call.name, **found.facts},
                        related=found.related,
                        case=found.case,
                    )
                    break


RULE = Rule("ASC-ALN004", "l0c-operand-alignment", Severity.ERROR, check)
