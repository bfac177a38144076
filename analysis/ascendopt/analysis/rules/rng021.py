"""Fields of CopyRepeatParams have limits.

## What it says
A ``Copy`` inside of UB has a block stride above 65535 or a repeat stride above 4095 blocks of 32 bytes.

## Why
The fields are 16 and 12 bits wide: a larger stride is truncated and other blocks are moved.

## Example
```cpp
Copy(z, x, 64, 4, {1, 1, 5000, 8});  // dstRepeatSize 5000 becomes 904
```

## Instead
Split the copy, or lay the rows out closer.

## Source
asc-devkit: Copy (UB to UB with masks), parameters.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.limits import excesses
from ascendopt.analysis.rules.rule import Context, Rule

APIS = frozenset({"Copy"})
LIMITS = {
    "srcStride": 65535,
    "dstStride": 65535,
    "srcRepeatSize": 4095,
    "dstRepeatSize": 4095,
}


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            if reading.call.name not in APIS:
                continue
            for found in excesses(context, reading.argument("repeatParams"), LIMITS):
                yield RULE.finding(
                    reading.call.site,
                    f"{found.text}. Split the copy",
                    facts={"api": reading.call.name, **found.facts},
                    related=found.related,
                    case=found.case,
                )
                break


RULE = Rule("ASC-RNG021", "copy-params-range", Severity.ERROR, check)
