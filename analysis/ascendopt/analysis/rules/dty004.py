"""int4b_t comes in pairs.

## What it says
A ``Cast`` from or to ``int4b_t`` has an odd count.

## Why
Two elements share a byte: the last half byte is whatever was there.

## Example
```cpp
Cast(y, x, RoundMode::CAST_NONE, 101);  // int4b_t
```

## Instead
Use even counts.

## Source
asc-devkit: Cast, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import Argument
from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity, TextEdit
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            if reading.call.name != "Cast" or reading.count is None:
                continue
            count = context.number(reading.count.value)
            if count is None or count % 2 == 0 or "int4b_t" not in [operand.dtype for operand in reading.operands]:
                continue
            yield RULE.finding(
                reading.call.site,
                f"Cast of {count} elements of int4b_t: two share a byte, so that the count is even. Use an even count",
                facts={"count": count},
                related=context.host_side(reading.count.value),
                # The element behind an odd count lies in the same block on both sides: there is room for it.
                fix=edits.fix("use an even count", _even(reading.call, reading.count), safe=True),
                case=context.case_of(reading.count.value),
            )


def _even(call: ApiCall, count: Argument) -> TextEdit:
    return edits.argument(call, count, edits.rounded_up(count.text, 2))


RULE = Rule("ASC-DTY004", "int4-pairs", Severity.ERROR, check)
