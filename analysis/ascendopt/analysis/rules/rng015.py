"""Strides between repeats are 8 bits.

## What it says
A vector call in its mask-and-repeat form strides more than 255 blocks of 32 bytes from one repeat to the next.

## Why
The field is 8 bits wide: the stride is truncated and the repeats read or write other blocks.

## Example
```cpp
Add(z, x, y, 64, 4, {1, 1, 1, 256, 8, 8});  // dstRepStride 256 becomes 0: each repeat overwrites the last
```

## Instead
Call it once for each repeat in a loop, or lay the rows out closer. Reductions have 16-bit strides.

## Source
asc-devkit: BinaryRepeatParams, UnaryRepeatParams, structure definitions.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.limits import excesses
from ascendopt.analysis.rules.rule import Context, Rule

LIMITS = {
    "dstRepStride": 255,
    "srcRepStride": 255,
    "src0RepStride": 255,
    "src1RepStride": 255,
}


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            for found in excesses(context, reading.strides, LIMITS):
                yield RULE.finding(
                    reading.call.site,
                    f"{found.text}. Loop over the repeats",
                    facts={"api": reading.call.name, **found.facts},
                    related=found.related,
                    case=found.case,
                )
                break


RULE = Rule("ASC-RNG015", "repeat-stride-range", Severity.ERROR, check)
