"""A cast between widths strides by each type.

## What it says
A ``Cast`` in its mask-and-repeat form between types of different width strides the same distance on both sides.

## Why
A repeat has 64 elements of four bytes, which are four blocks of two bytes: with equal strides the narrow side has
gaps or the wide side overlaps.

## Example
```cpp
Cast(y, x, RoundMode::CAST_NONE, 64, 4, {1, 1, 8, 8});  // half -> float: x goes on by 4 blocks
```

## Instead
Give the wide side 8 and the narrow side 4 blocks.

## Source
asc-devkit: Cast, constraints, item 3.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule

FULL_REPEAT = 64  # elements of four bytes: 8 blocks, or 4 of two


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            strides = reading.strides
            if reading.call.name != "Cast" or strides is None or reading.mask is None or len(reading.operands) < 2:
                continue
            tensors = [operand.argument.tensor for operand in reading.operands[:2]]
            sizes = [tensor.element_bytes.constant() if tensor is not None else None for tensor in tensors]
            steps = [context.number(strides.field(name)) for name in ("dstRepStride", "srcRepStride")]
            once = reading.repeats is not None and context.number(reading.repeats.value) == 1
            if sorted(size or 0 for size in sizes) != [2, 4] or steps[0] is None or steps[0] != steps[1] or once:
                continue
            # Rows that lie equally far apart on both sides are a layout, not a mistake.
            if context.number(reading.mask.value) != FULL_REPEAT or steps[0] not in (4, 8):
                continue
            yield RULE.finding(
                reading.call.site,
                f"Cast {reading.operands[1].dtype} -> {reading.operands[0].dtype} strides {steps[0]} blocks on "
                "both sides: "
                f"{FULL_REPEAT} elements are 8 blocks of four bytes and 4 of two"
                ". Give each side the blocks of its own width",
                facts={"stride": steps[0]},
                fix=edits.fix(
                    "stride by the width of each side",
                    *(
                        edits.field(context, instance, reading.call, strides, name, str(2 * (size or 0)))
                        for name, size in zip(("dstRepStride", "srcRepStride"), sizes, strict=True)
                    ),
                    safe=False,
                    of_run=True,
                ),
                related=context.host_side(*(strides.field(name) for name in ("dstRepStride", "srcRepStride"))),
                case=context.case_of(*(strides.field(name) for name in ("dstRepStride", "srcRepStride"))),
            )


RULE = Rule("ASC-DTY003", "cast-strides", Severity.ERROR, check)
