"""The index of a half reduction ends at 65535.

## What it says
``ReduceMax`` or ``ReduceMin`` on ``half`` asks for the index among more than 65535 elements.

## Why
The index is stored in the width of the element type, 16 bits: it wraps around.

## Example
```cpp
ReduceMax(y, x, work, 70000, true);  // half
```

## Instead
Reduce in parts and compare their results, or convert to ``float``.

## Source
asc-devkit: ReduceMax, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.limits import excess
from ascendopt.analysis.rules.rule import Context, Rule

LIMIT = 65535


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            if reading.call.name not in ("ReduceMax", "ReduceMin") or reading.elements.get("T") != "half":
                continue
            index, count = reading.argument("calIndex"), reading.count
            if index is None or count is None or context.number(index.value) != 1:
                continue
            found = excess(context, "count", count.value, LIMIT)
            if found is not None:
                yield RULE.finding(
                    reading.call.site,
                    f"{reading.call.name} numbers {found.number} half elements and the index has 16 bits: above "
                    f"{LIMIT} it "
                    "wraps around. Reduce in parts, or in float",
                    facts={"api": reading.call.name, "count": found.number, "limit": LIMIT},
                    related=found.related,
                    case=found.case,
                )


RULE = Rule("ASC-RNG024", "reduce-index-range", Severity.ERROR, check)
