"""Gather, Brcb and MrgSort do not work in place.

## What it says
``Gather``, ``Gatherb``, ``Brcb`` or ``MrgSort`` reads and writes the same tensor.

## Why
Elements are overwritten before they are read: the result is not defined.

## Example
```cpp
Gather(x, x, offsets, 0, n);
```

## Instead
Write to another buffer.

## Source
asc-devkit: Gather, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

NOT_IN_PLACE = frozenset({"Gather", "Gatherb", "Brcb"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            destination = reading.destination
            if reading.call.name not in NOT_IN_PLACE or destination is None or destination.argument.tensor is None:
                continue
            for source in reading.sources:
                tensor = source.argument.tensor
                written = destination.argument.tensor
                same = tensor is not None and tensor.handle is not None and tensor.handle == written.handle
                if same and tensor is not None and tensor.offset == written.offset:
                    yield RULE.finding(
                        reading.call.site,
                        f"{reading.call.name} reads {source.argument.text} and writes it: elements are overwritten "
                        "before "
                        "they are read. Write to another buffer",
                        facts={"api": reading.call.name, "operand": source.argument.text},
                    )
                    break


RULE = Rule("ASC-OVL003", "same-source-and-destination", Severity.ERROR, check)
