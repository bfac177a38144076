"""A cast to a wider type needs another buffer.

## What it says
A ``Cast`` to a wider type writes to the place that it reads from.

## Why
The wide results run ahead of the narrow sources and overwrite them.

## Example
```cpp
Cast(x.ReinterpretCast<float>(), x, RoundMode::CAST_NONE, n);  // half -> float
```

## Instead
Keep the narrow elements in the upper half of the buffer, so that the results stay behind, or use another buffer.

## Source
asc-devkit: Cast, constraints, item 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            if reading.call.name != "Cast" or len(reading.operands) < 2:
                continue
            written, read = (operand.argument.tensor for operand in reading.operands[:2])
            if written is None or read is None or written.handle is None or written.handle != read.handle:
                continue
            wide, narrow = written.element_bytes.constant(), read.element_bytes.constant()
            once = reading.count is not None and context.number(reading.count.value) == 1
            if not wide or not narrow or wide <= narrow or written.offset is None or once:
                continue
            if written.offset == read.offset:
                yield RULE.finding(
                    reading.call.site,
                    f"Cast {read.element} -> {written.element} in place: the results of {wide} bytes overwrite "
                    "sources of "
                    f"{narrow} that are still to be read"
                    ". Use another buffer",
                    facts={"from": read.element, "to": written.element},
                )


RULE = Rule("ASC-OVL004", "widening-cast-in-place", Severity.ERROR, check)
