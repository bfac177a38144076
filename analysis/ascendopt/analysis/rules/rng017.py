"""The blocks of a destination lie apart.

## What it says
A vector call has a ``dstBlkStride`` of 0.

## Why
All eight blocks of a repeat would be written to one place: what is left there is not defined. A source may have 0,
it then reads one block eight times.

## Example
```cpp
Add(z, x, y, 64, 4, {0, 1, 1, 8, 8, 8});
```

## Instead
Use 1.

## Source
asc-devkit: SIMD computation, high-dimensional form, dataBlockStride, note.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule

# A block stride of 0 acts as 1 there.
AS_ONE = frozenset({"Gatherb"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            strides = reading.strides
            stated = strides.field("dstBlkStride") if strides is not None else None
            if strides is None or reading.call.name in AS_ONE or context.number(stated) != 0:
                continue
            yield RULE.finding(
                reading.call.site,
                f"dstBlkStride of {reading.call.name} is 0: the eight blocks of a repeat are written to one place. "
                "Use 1",
                facts={"api": reading.call.name, "field": "dstBlkStride"},
                related=context.host_side(stated),
                fix=edits.fix(
                    "one block behind the other",
                    edits.field(context, instance, reading.call, strides, "dstBlkStride", "1"),
                    safe=False,
                ),
                case=context.case_of(stated),
            )


RULE = Rule("ASC-RNG017", "zero-block-stride", Severity.ERROR, check)
