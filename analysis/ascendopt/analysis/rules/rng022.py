"""Mmad multiplies at most 4095 by 4095 by 4095.

## What it says
An ``Mmad`` has ``m``, ``n`` or ``k`` above 4095.

## Why
The fields are 12 bits wide: a larger size is truncated, and 4096 becomes 0, which computes nothing.

## Example
```cpp
Mmad(c, a, b, MmadParams{16, 16, 4096});  // k becomes 0
```

## Instead
Split the matrix into tiles.

## Source
asc-devkit: Mmad, parameters.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.limits import excesses
from ascendopt.analysis.rules.rule import Context, Rule

APIS = frozenset({"Mmad"})
LIMITS = {
    "m": 4095,
    "n": 4095,
    "k": 4095,
}


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            if reading.call.name not in APIS:
                continue
            for found in excesses(context, reading.argument("mmadParams"), LIMITS):
                yield RULE.finding(
                    reading.call.site,
                    f"{found.text}. Split the matrix into tiles",
                    facts={"api": reading.call.name, **found.facts},
                    related=found.related,
                    case=found.case,
                )
                break


RULE = Rule("ASC-RNG022", "mmad-size-range", Severity.ERROR, check)
