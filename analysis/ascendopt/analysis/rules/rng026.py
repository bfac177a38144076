"""MrgSort merges lists of at most 4095 elements.

## What it says
A ``MrgSort`` has a list of more than 4095 elements.

## Why
The field is 12 bits wide: 4096 becomes 0.

## Example
```cpp
uint16_t lengths[4] = {5000, 5000, 0, 0};
```

## Instead
Merge in steps.

## Source
asc-devkit: MrgSort, parameters.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.limits import excess
from ascendopt.analysis.rules.rule import Context, Rule

LIMIT = 4095


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for call in instance.of(ApiCall):
            params = next((argument for argument in call.args if argument.struct == "MrgSort4Info"), None)
            if call.name != "MrgSort" or params is None:
                continue
            for index in range(4):
                found = excess(context, f"list {index}", params.field(f"elementLengths[{index}]"), LIMIT)
                if found is not None:
                    yield RULE.finding(
                        call.site,
                        f"{found.text}. Merge in steps",
                        facts={"api": call.name, **found.facts},
                        related=found.related,
                        case=found.case,
                    )
                    break


RULE = Rule("ASC-RNG026", "mrgsort-list-length", Severity.ERROR, check)
