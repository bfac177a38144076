"""Operands in the fixpipe buffer start at a multiple of 128 bytes.

## What it says
A copy uses a tensor in the fixpipe buffer (C2PIPE2GM) at an offset that is no multiple of 128 bytes.

## Why
The quantisation parameters are read in that grain: another start gives wrong ones.

## Example
```cpp
DataCopy(fb[8], deq, params);  // uint64_t: 64 bytes into the buffer
```

## Instead
Use offsets of 128 bytes: one page asks for 64, another for 128, and 128 satisfies both.

## Source
asc-devkit: constraints of data movement, table 1 (128); architecture 2201, memory table (64).
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.alignment import misplaced
from ascendopt.analysis.rules.rule import Context, Rule

ALIGN = 128
POSITIONS = frozenset({"C2PIPE2GM"})


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
                        f"operands in the fixpipe buffer start at a multiple of {ALIGN} bytes"
                        ". Use offsets of 128 bytes",
                        facts={"api": reading.call.name, **found.facts},
                        related=found.related,
                        case=found.case,
                    )
                    break


RULE = Rule("ASC-ALN006", "fixpipe-buffer-alignment", Severity.ERROR, check)
