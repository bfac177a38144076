"""Strides between the blocks of a repeat are 8 bits in calls with two sources.

## What it says
A call with two sources strides more than 255 blocks of 32 bytes from one block of a repeat to the next.

## Why
The field is 8 bits wide: the stride is truncated and other blocks are read or written.

## Example
```cpp
Add(z, x, y, 64, 4, {1, 257, 1, 8, 8, 8});  // src0BlkStride 257 becomes 1
```

## Instead
Lay the blocks out closer, or loop. Calls with one source have 16-bit strides.

## Source
asc-devkit: BinaryRepeatParams, structure definition.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.limits import excesses
from ascendopt.analysis.rules.rule import Context, Rule

LIMITS = {
    "dstBlkStride": 255,
    "src0BlkStride": 255,
    "src1BlkStride": 255,
}


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            if reading.strides is None or "src0BlkStride" not in dict(reading.strides.fields):
                continue
            for found in excesses(context, reading.strides, LIMITS):
                yield RULE.finding(
                    reading.call.site,
                    f"{found.text}. Lay the blocks out closer, or loop",
                    facts={"api": reading.call.name, **found.facts},
                    related=found.related,
                    case=found.case,
                )
                break


RULE = Rule("ASC-RNG016", "binary-block-stride-range", Severity.ERROR, check)
