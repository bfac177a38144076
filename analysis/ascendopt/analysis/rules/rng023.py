"""Narrow elements are gathered from the first part of UB.

## What it says
A ``Gather`` of 8 or 16-bit elements on 950 or 310B starts at a base beyond 65535 or 131071 bytes.

## Why
The offset is an index of 16 bits there: it wraps around.

## Example
```cpp
Gather(y, x, offsets, 70000, n);  // int8_t
```

## Instead
Keep the table in the first 64 KB (128 KB for 16 bits) behind the base.

## Source
asc-devkit: Gather, constraints, srcOffset.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.limits import excess
from ascendopt.analysis.rules.rule import Context, Rule

LIMITS = {1: 65535, 2: 131071}


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            base = reading.argument("srcBaseAddr")
            tensor = reading.destination.argument.tensor if reading.destination is not None else None
            if reading.call.name not in ("Gather", "Scatter") or base is None or tensor is None:
                continue
            limit = LIMITS.get(tensor.element_bytes.constant() or 0)
            found = excess(context, "srcBaseAddr", base.value, limit) if limit is not None else None
            if found is not None:
                yield RULE.finding(
                    reading.call.site,
                    f"base {found.number} of {reading.call.name} is above {limit}: offsets of {tensor.element} "
                    "wrap around "
                    "there"
                    ". Keep the table in the first part of UB",
                    facts={"base": found.number, "limit": limit},
                    related=found.related,
                    case=found.case,
                )


RULE = Rule("ASC-RNG023", "gather-offset-range", Severity.ERROR, check, families=frozenset({"950", "310B"}))
