"""Operands in L0A and L0B start at a multiple of 512 bytes.

## What it says
A load or ``Mmad`` uses a tensor in L0A or L0B at an offset that is no multiple of 512 bytes.

## Why
A fractal is 512 bytes: another start raises an exception or multiplies another fractal. It holds for ``m == 1``
too.

## Example
```cpp
Mmad(c, a2[128], b2, params);  // half: 256 bytes into the buffer
```

## Instead
Use offsets of whole fractals.

## Source
asc-devkit: general notes and constraints, table 2; Mmad.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.alignment import misplaced
from ascendopt.analysis.rules.rule import Context, Rule

ALIGN = 512
POSITIONS = frozenset({"A2", "B2"})


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
                        f"operands in L0A and L0B start at a multiple of {ALIGN} bytes"
                        ". Use offsets of whole fractals, 512 bytes",
                        facts={"api": reading.call.name, **found.facts},
                        related=found.related,
                        case=found.case,
                    )
                    break


RULE = Rule("ASC-ALN003", "l0-operand-alignment", Severity.ERROR, check)
