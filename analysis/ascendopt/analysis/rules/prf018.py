"""At most four preloads in a row.

## What it says
``DataCachePreload`` is called more than four times in a row.

## Why
The fifth is dropped and the scalar unit stalls.

## Example
```cpp
DataCachePreload(a, 0); .. // five times
```

## Instead
Spread them out.

## Source
asc-devkit: DataCachePreload, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

MOST = 4


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        row = 0
        for call in instance.of(ApiCall):
            row = row + 1 if call.name == "DataCachePreload" else 0
            if row == MOST + 1:
                yield RULE.finding(
                    call.site,
                    f"preload {row} in a row: above {MOST} they are dropped, and the scalar unit stalls. Spread "
                    "them out",
                    facts={"limit": MOST},
                )


RULE = Rule("ASC-PRF018", "preload-burst", Severity.PERF, check)
