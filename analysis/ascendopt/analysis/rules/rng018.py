"""Strides of reductions are 16 bits.

## What it says
A reduction of whole repeats, blocks or pairs has a stride above 65535.

## Why
The fields are 16 bits wide: a larger stride is truncated and other repeats are reduced.

## Example
```cpp
WholeReduceSum(y, x, 64, 4, 1, 1, 70000);  // srcRepStride becomes 4464
```

## Instead
Lay the rows out closer, or reduce them one by one.

## Source
asc-devkit: ReduceRepeat, ReduceDataBlock, ReducePairElem, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.limits import excess
from ascendopt.analysis.rules.rule import Context, Rule

LIMIT = 65535
STRIDES = ("dstRepStride", "srcBlkStride", "srcRepStride")
REDUCTIONS = frozenset(
    (
        *("ReduceRepeat", "WholeReduceSum", "WholeReduceMax", "WholeReduceMin"),
        *("ReduceDataBlock", "BlockReduceSum", "BlockReduceMax", "BlockReduceMin", "ReducePairElem", "PairReduceSum"),
    )
)


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            if reading.call.name not in REDUCTIONS:
                continue
            for name in STRIDES:
                argument = reading.argument(name)
                found = excess(context, name, argument.value if argument else None, LIMIT)
                if found is not None:
                    yield RULE.finding(
                        reading.call.site,
                        f"{found.text}. Lay the rows out closer",
                        facts={"api": reading.call.name, **found.facts},
                        related=found.related,
                        case=found.case,
                    )


RULE = Rule("ASC-RNG018", "reduce-stride-range", Severity.ERROR, check)
