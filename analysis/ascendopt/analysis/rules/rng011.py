"""A copy from fractals to rows takes at most 8192 rows and columns.

## What it says
A ``DataCopy`` that turns fractals into rows (NZ to ND) has ``nValue`` or ``dValue`` above 8192.

## Why
The instruction stops there; the rest of the matrix is not moved.

## Example
```cpp
Nz2NdParamsFull nd{1, 9000, 64, 0, 9000, 64, 0};  // 9000 rows
```

## Instead
Split by rows or columns.

## Source
asc-devkit: DataCopy with NZ to ND conversion, parameters.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.limits import excesses
from ascendopt.analysis.rules.rule import Context, Rule

LIMITS = {
    "nValue": 8192,
    "dValue": 8192,
}


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            params = next((argument for argument in reading.call.args if argument.struct == "Nz2NdParamsFull"), None)
            for found in excesses(context, params, LIMITS):
                yield RULE.finding(
                    reading.call.site,
                    f"{found.text}. Split it by rows or columns",
                    facts={"api": reading.call.name, **found.facts},
                    related=found.related,
                    case=found.case,
                )
                break


RULE = Rule("ASC-RNG011", "nz2nd-params-range", Severity.ERROR, check)
