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

from ascendopt.analysis.apis import known_on
from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.facts.readings import Reading, readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.repair import ahead, namespace
from ascendopt.analysis.rules.rule import Context, Rule

SCALE = "SetDeqScale(static_cast<half>(1.0f))"


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        if not instance.complete or any(call.name == "SetDeqScale" for call in instance.of(ApiCall)):
            continue
        casts = [reading.call for reading in readings(instance) if _takes_the_scale(reading)]
        if casts:
            # Each of them: which one runs first may depend on a condition.
            scales = (ahead(site, f"{namespace(call)}{SCALE};") for site, call in {c.site: c for c in casts}.items())
            yield RULE.finding(
                casts[0].site,
                "Cast int32_t -> half multiplies by the scale register, and no SetDeqScale sets it. Call "
                "SetDeqScale((half)1.0) first, or go through float",
                fix=edits.fix("set the scale to 1", *scales, safe=True)
                if known_on("SetDeqScale", context.chip.family)
                else None,
            )


def _takes_the_scale(reading: Reading) -> bool:
    return reading.call.name == "Cast" and [o.dtype for o in reading.operands[:2]] == ["half", "int32_t"]


RULE = Rule(
    "ASC-DTY005", "cast-needs-deq-scale", Severity.ERROR, check, families=frozenset({"910", "A2", "A3", "310P"})
)
