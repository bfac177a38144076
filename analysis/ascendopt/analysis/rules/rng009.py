"""A compact DataCopyPad ignores padding and the UB stride.

## What it says
A ``DataCopyPad`` in compact mode has a ``dstStride`` or a padding.

## Why
Compact mode lays the rows one behind the other: these parameters have no effect.

## Example
```cpp
DataCopyPad<half, PaddingMode::Compact>(x, xGm, DataCopyExtParams{4, 30, 0, 2, 0}, pad);
```

## Instead
Drop them, or use the normal mode.

## Source
asc-devkit: DataCopyPad (GM to UB), constraints, item 3.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule

IGNORED = (("dataCopyParams", "dstStride"), ("padParams", "leftPadding"), ("padParams", "rightPadding"))


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            compact = any("Compact" in argument for argument in reading.call.template_args)
            if reading.call.name != "DataCopyPad" or not compact:
                continue
            for name, field in IGNORED:
                argument = reading.argument(name)
                if argument is not None and context.number(argument.field(field)):
                    yield RULE.finding(
                        reading.call.site,
                        f"{field} has no effect in compact mode: the rows lie one behind the other"
                        ". Drop it, or use the normal mode",
                        facts={"field": field},
                        fix=edits.fix(
                            "write 0", edits.field(context, instance, reading.call, argument, field, "0"), safe=True
                        ),
                    )
                    break


RULE = Rule("ASC-RNG009", "datacopypad-compact-ignores", Severity.WARNING, check, families=frozenset({"950"}))
