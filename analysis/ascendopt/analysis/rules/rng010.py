"""Fields of Nd2NzParams have limits.

## What it says
A ``DataCopy`` that turns rows into fractals (ND to NZ) has more matrices, rows or columns, or a longer stride, than
the instruction can hold.

## Why
The fields are 12 to 16 bits wide, and some end at 16384. A larger value is truncated or refused: another part of
the matrix is moved.

## Example
```cpp
Nd2NzParams nz{1, 20000, 64, 0, 64, 16384, 1, 1};  // 20000 rows
```

## Instead
Split by rows or columns.

## Source
asc-devkit: DataCopy with ND to NZ conversion, table 4.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.limits import excesses
from ascendopt.analysis.rules.rule import Context, Rule

LIMITS = {
    "ndNum": 4095,
    "nValue": 16384,
    "dValue": 65535,
    "srcNdMatrixStride": 65535,
    "srcDValue": 65535,
    "dstNzC0Stride": 16384,
    "dstNzNStride": 16384,
    "dstNzMatrixStride": 65535,
}


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            params = next((argument for argument in reading.call.args if argument.struct == "Nd2NzParams"), None)
            for found in excesses(context, params, LIMITS):
                yield RULE.finding(
                    reading.call.site,
                    f"{found.text}. Split it by rows or columns",
                    facts={"api": reading.call.name, **found.facts},
                    related=found.related,
                    case=found.case,
                )
                break


RULE = Rule("ASC-RNG010", "nd2nz-params-range", Severity.ERROR, check)
