"""DataCopyPad pads at most 32 bytes on each side.

## What it says
A ``DataCopyPad`` has ``leftPadding`` or ``rightPadding`` of more than 32 bytes.

## Why
The instruction pads inside of one block. What is behind it keeps what was there before.

## Example
```cpp
DataCopyPadExtParams<half> pad{true, 0, 20, 0};  // 40 bytes
```

## Instead
Fill the tensor with ``Duplicate`` first, then copy over it.

## Source
asc-devkit: DataCopyPad (GM to UB), constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

BLOCK = 32
SIDES = ("leftPadding", "rightPadding")


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            padding, destination = reading.argument("padParams"), reading.destination
            if padding is None or destination is None or destination.argument.tensor is None:
                continue
            each = destination.argument.tensor.element_bytes.constant()
            for side in SIDES:
                elements = context.number(padding.field(side))
                if elements is None or each is None or elements * each <= BLOCK:
                    continue
                yield RULE.finding(
                    reading.call.site,
                    f"{side} of {elements} x {each} = {elements * each} bytes is above {BLOCK}: DataCopyPad pads "
                    "inside of one "
                    "block. Fill with Duplicate first",
                    facts={"field": side, "bytes": elements * each, "limit": BLOCK},
                    related=context.host_side(padding.field(side)),
                    case=context.case_of(padding.field(side)),
                )


RULE = Rule("ASC-RNG006", "datacopypad-padding", Severity.ERROR, check)
