"""A copy of slices has at most eight dimensions.

## What it says
A ``DataCopy`` with ``SliceInfo`` arrays says more than 8 dimensions.

## Why
The function supports eight; more are refused.

## Example
```cpp
DataCopy(x, xGm, to, from, 9);
```

## Instead
Merge neighbouring dimensions that are copied whole.

## Source
asc-devkit: DataCopy of slices between GM and UB, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.limits import excess
from ascendopt.analysis.rules.rule import Context, Rule

LIMIT = 8


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            dimensions = reading.argument("dimValue")
            found = excess(context, "dimValue", dimensions.value if dimensions else None, LIMIT)
            if reading.call.name == "DataCopy" and found is not None:
                yield RULE.finding(
                    reading.call.site,
                    f"the slices have {found.number} dimensions and DataCopy supports {LIMIT}. Merge dimensions "
                    "that are "
                    "copied whole",
                    facts={"dimensions": found.number, "limit": LIMIT},
                    related=found.related,
                    case=found.case,
                )


RULE = Rule("ASC-RNG020", "slice-dimensions", Severity.ERROR, check)
