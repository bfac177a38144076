"""Axpy and MulAddDst accumulate half into half or float.

## What it says
``Axpy`` or ``MulAddDst`` has other types than half into half, float into float, or half into float.

## Why
The unit has no other combination.

## Example
```cpp
Axpy(y, x, (float)2, n);  // half += float * 2
```

## Instead
Convert with ``Cast`` first.

## Source
asc-devkit: Axpy, supported types.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.operators.names import TYPE_BYTES
from ascendopt.analysis.rules.rule import Context, Rule

PAIRS = frozenset({("half", "half"), ("float", "float"), ("float", "half")})
CALLS = frozenset({"Axpy", "MulAddDst"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            if reading.call.name not in CALLS or len(reading.operands) < 2:
                continue
            pair = (reading.operands[0].dtype, reading.operands[1].dtype)
            if pair[0] in TYPE_BYTES and pair[1] in TYPE_BYTES and pair[0] != pair[1] and pair not in PAIRS:
                yield RULE.finding(
                    reading.call.site,
                    f"{reading.call.name} cannot accumulate {pair[1]} into {pair[0]}: half into half, float into "
                    "float, half "
                    "into float exist. Cast first",
                    facts={"destination": pair[0], "source": pair[1]},
                )


RULE = Rule("ASC-DTY009", "mixed-precision-axpy", Severity.ERROR, check)
