"""Integers of 32 bits are compared for equality only.

## What it says
A ``Compare`` on ``int32_t`` uses another mode than ``EQ`` on A2 or A3.

## Why
The vector unit has no other comparison of that type.

## Example
```cpp
Compare(mask, x, y, CMPMODE::LT, 64);  // int32_t
```

## Instead
Cast to ``float``, where the values fit into 24 bits, or use ``Min`` or ``Max`` and compare for equality.

## Source
asc-devkit: Compare, parameter cmpMode.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

COMPARISONS = frozenset({"Compare", "Compares", "CompareScalar"})
OTHER_MODES = ("LT", "GT", "GE", "LE", "NE")


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            mode = reading.argument("cmpMode")
            if reading.call.name not in COMPARISONS or mode is None or not reading.sources:
                continue
            name = mode.enumerator
            if reading.sources[0].dtype == "int32_t" and name in OTHER_MODES:
                yield RULE.finding(
                    reading.call.site,
                    f"{reading.call.name} on int32_t knows EQ only on {context.chip.name}, not {name}. Cast to "
                    "float, or "
                    "use Min or Max and compare for equality",
                    facts={"mode": name, "dtype": "int32_t"},
                )


RULE = Rule("ASC-DTY007", "int32-compare", Severity.ERROR, check, families=frozenset({"A2", "A3"}))
