"""A call on no elements is not promised to do nothing on every chip.

## What it says
A vector call has a constant count or repeat of 0.

## Why
On A2 and A3 it does nothing. On 950 the call is a function of the vector unit, and a count of 0 is not promised to
be harmless.

## Example
```cpp
Add(z, x, y, 0);
```

## Instead
Leave the call out, or guard it with ``if (count > 0)``.

## Source
asc-devkit: Add, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import Argument
from ascendopt.analysis.facts.readings import Reading, readings
from ascendopt.analysis.findings import Finding, Fix, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.repair import removed
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            amount = reading.count or reading.repeats
            if reading.page.pipe != "V" or amount is None or context.number(amount.value) != 0:
                continue
            yield RULE.finding(
                reading.call.site,
                f"{reading.call.name} on 0 elements does nothing on A2 and A3; on 950 that is not promised",
                facts={"api": reading.call.name},
                related=context.host_side(amount.value),
                fix=_fix(reading, amount),
                case=context.case_of(amount.value),
            )


def _fix(reading: Reading, amount: Argument) -> Fix | None:
    """Without the call, where the source itself says 0."""
    if amount.value is None or amount.value.constant() != 0:
        return None
    return edits.fix("leave it out", removed(reading.call.site), safe=True, of_run=True)


RULE = Rule("ASC-RNG019", "empty-call", Severity.INFO, check)
