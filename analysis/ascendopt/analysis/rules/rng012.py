"""A vector call repeats at most 255 times.

## What it says
A vector call in its mask-and-repeat form has a repeat count above 255.

## Why
The field is 8 bits wide: 320 becomes 64 and the rest is not computed.

## Example
```cpp
Add(z, x, y, 64, 320, {1, 1, 1, 8, 8, 8});  // 64 repeats are done
```

## Instead
Call it in chunks of at most 255 repeats, or use the form with an element count.

## Source
asc-devkit: SIMD computation, high-dimensional form, repeatTime; kernel_utils_constants.h.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.count_form import count_form
from ascendopt.analysis.rules.limits import excess
from ascendopt.analysis.rules.rule import Context, Rule

LIMIT = 255
# These loop over chunks inside, so that their count is wider.
CHUNKED = frozenset({"ReduceSum", "ReduceMax", "ReduceMin"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            repeats = reading.repeats
            if repeats is None or reading.call.name in CHUNKED:
                continue
            found = excess(context, "repeatTimes", repeats.value, LIMIT)
            if found is None:
                continue
            yield RULE.finding(
                reading.call.site,
                f"repeatTimes {found.number} of {reading.call.name} is above the maximum {LIMIT} (uint8_t): it "
                "truncates "
                f"to {found.kept}. Split into calls of at most {LIMIT} repeats or use the count form",
                facts={"repeat": found.number, "limit": LIMIT, "kept": found.kept, "api": reading.call.name},
                related=found.related,
                fix=count_form(context, instance, reading) if found.case is None else None,
                case=found.case,
            )


RULE = Rule("ASC-RNG012", "repeat-range", Severity.ERROR, check)
