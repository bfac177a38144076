"""int32_t becomes half with a scale.

## What it says
A ``Cast`` from ``int32_t`` to ``half`` runs before any ``SetDeqScale``.

## Why
The conversion multiplies by the scale register, and ignores the rounding mode: with no scale set, one left by
another kernel is used.

## Example
```cpp
Cast(y, x, RoundMode::CAST_NONE, n);  // int32_t -> half
```

## Instead
Call ``SetDeqScale((half)1.0)`` first, or go through ``float``.

## Source
asc-devkit: Cast, constraints; SetDeqScale.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.model import ApiCall
from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        if not instance.complete or any(call.name == "SetDeqScale" for call in instance.of(ApiCall)):
            continue
        for reading in readings(instance):
            if reading.call.name == "Cast" and [o.dtype for o in reading.operands[:2]] == ["half", "int32_t"]:
                yield RULE.finding(
                    reading.call.site,
                    "Cast int32_t -> half multiplies by the scale register, and no SetDeqScale sets it. Call "
                    "SetDeqScale((half)1.0) first, or go through float",
                )
                break


RULE = Rule(
    "ASC-DTY005", "cast-needs-deq-scale", Severity.ERROR, check, families=frozenset({"910", "A2", "A3", "310P"})
)
