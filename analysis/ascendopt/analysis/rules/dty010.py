"""There is no Scatter on this chip.

## What it says
``Scatter`` is called and the chip has no such instruction.

## Why
The call does not compile.

## Example
```cpp
Scatter(z, x, offsets, 0, n);  // A2
```

## Instead
``Gather`` by the inverse index, or write by the scalar unit.

## Source
asc-devkit: Scatter, supported products.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.apis import known_on
from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    if known_on("Scatter", context.chip.family):
        return
    for instance in context.instances():
        for reading in readings(instance):
            if reading.call.name == "Scatter":
                yield RULE.finding(
                    reading.call.site,
                    f"{context.chip.name} has no Scatter. Gather by the inverse index, or write by the scalar unit",
                    facts={"api": "Scatter", "chip": context.chip.name},
                )


RULE = Rule("ASC-DTY010", "no-scatter", Severity.ERROR, check)
