"""The inner size fills whole fractals.

## What it says
An ``Mmad`` has a ``k`` that fills no whole fractals: 16 elements of two bytes, 32 of one, 8 of four, 64 of half a
byte.

## Why
The rest of the last fractal takes part in the sum.

## Example
```cpp
Mmad(c, a, b, MmadParams{16, 16, 40});  // half
```

## Instead
Fill the rest with zeros when loading.

## Source
asc-devkit: alignment in the direction of K.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

FRACTAL = {"int4b_t": 64, "int8_t": 32, "half": 16, "bfloat16_t": 16, "float": 8}


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for call in instance.of(ApiCall):
            if call.name != "Mmad" or len(call.args) < 4 or call.args[-1].struct != "MmadParams":
                continue
            dtype = call.args[1].tensor.element if call.args[1].tensor is not None else None
            inner, step = context.number(call.args[-1].field("k")), FRACTAL.get(dtype or "")
            if inner is not None and step is not None and inner % step:
                yield RULE.finding(
                    call.site,
                    f"k {inner} of Mmad is no multiple of {step} {dtype}: the rest of the last fractal takes part "
                    "in the "
                    "sum. Fill it with zeros",
                    facts={"k": inner, "multiple": step, "dtype": dtype},
                    related=context.host_side(call.args[-1].field("k")),
                    case=context.case_of(call.args[-1].field("k")),
                )


RULE = Rule("ASC-CUB004", "k-alignment", Severity.WARNING, check)
