"""A mask counts the elements of one repeat.

## What it says
A vector call has a mask of more elements than a repeat of 256 bytes holds: 128 of two bytes, 64 of four, 32 of
eight.

## Why
A longer mask is illegal: a repeat has no more elements. Where source and destination differ in width the wider type
counts.

## Example
```cpp
Add(z, x, y, 128, 4, {1, 1, 1, 8, 8, 8});  // float: 64 at most
```

## Instead
Use ``256 / sizeof(T)`` and more repeats.

## Source
asc-devkit: SetVectorMask, functions; SIMD computation, high-dimensional form.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule

REPEAT = 256


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            if reading.mask is None or reading.repeats is None or reading.page.pipe != "V":
                continue
            sizes = [o.argument.tensor.element_bytes.constant() for o in reading.operands if o.argument.tensor]
            widths = [size for size in sizes if size]
            mask = context.number(reading.mask.value)
            if mask is None or len(widths) < len(sizes) or not widths or mask <= REPEAT // max(widths):
                continue
            limit = REPEAT // max(widths)
            yield RULE.finding(
                reading.call.site,
                f"mask {mask} of {reading.call.name}: a repeat of {REPEAT} bytes has {limit} elements of "
                f"{max(widths)} bytes. "
                f"Use a mask of {limit} and more repeats",
                facts={"mask": mask, "limit": limit, "api": reading.call.name},
                related=context.host_side(reading.mask.value),
                fix=edits.fix(
                    f"a mask of {limit} (more repeats may be needed)",
                    edits.argument(reading.call, reading.mask, str(limit)),
                    safe=False,
                    of_run=True,
                ),
                case=context.case_of(reading.mask.value),
            )


RULE = Rule("ASC-RNG013", "mask-range", Severity.ERROR, check)
