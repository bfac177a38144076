"""The scalar unit does not calculate in half.

## What it says
Two values of type ``half`` or ``bfloat16_t`` are added, subtracted, multiplied or divided by scalar code.

## Why
The compiler refuses it in an ``__aicore__`` function: the scalar unit has no such arithmetic.

## Example
```cpp
half both = x.GetValue(0) + x.GetValue(1);
```

## Instead
Convert to ``float`` first, or use a vector call.

## Source
asc-devkit: scalar data types of the device side.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.model import ScalarMath
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

NARROW = frozenset({"half", "bfloat16_t"})
ARITHMETIC = frozenset({"+", "-", "*", "/"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for event in instance.of(ScalarMath):
            if event.element in NARROW and event.operator in ARITHMETIC:
                yield RULE.finding(
                    event.site,
                    f"scalar arithmetic on {event.element} is not allowed in an __aicore__ function: GetValue of "
                    f"{event.element} is an operand of '{event.operator}'. Convert to float first, or use a vector "
                    "call",
                    facts={"dtype": event.element, "operator": event.operator},
                )


RULE = Rule("ASC-MIS010", "half-scalar-arithmetic", Severity.ERROR, check)
