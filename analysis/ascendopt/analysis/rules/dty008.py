"""A scalar operand has the type of the tensor.

## What it says
A call on ``half`` gets a number in ``float``.

## Why
The template parameter is deduced from both: the call does not compile, or another overload is taken.

## Example
```cpp
Muls(y, x, 0.5f, n);  // half
```

## Instead
Write ``static_cast<half>(0.5f)``.

## Source
asc-devkit: Adds, parameter scalarValue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Fix, Severity, TextEdit
from ascendopt.analysis.rules.rule import Context, Rule

SCALAR_CALLS = frozenset({"Adds", "Muls", "Maxs", "Mins", "LeakyRelu", "Axpy", "Duplicate"})
_FLOAT = re.compile(r"[0-9]+\.[0-9]*(e[-+]?[0-9]+)?f?|[0-9]+(e[-+]?[0-9]+)?f", re.IGNORECASE)


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            if reading.call.name not in SCALAR_CALLS or reading.call.template_args or not reading.operands:
                continue
            scalar = reading.argument("scalarValue", "scalar")
            dtype = reading.operands[0].dtype
            if scalar is None or dtype != "half" or not _FLOAT.fullmatch(scalar.text.strip()):
                continue
            text = scalar.text.strip()
            edit = TextEdit(reading.call.site.path, scalar.span, f"static_cast<{dtype}>({text})")
            yield RULE.finding(
                reading.call.site,
                f"{reading.call.name} on {dtype} gets {text}, a float: no overload takes both. Write "
                f"static_cast<{dtype}>({text})",
                facts={"dtype": dtype, "scalar": text},
                fix=Fix(f"AscendC: static_cast<{dtype}>({text})", (edit,), of_run=True),
            )


RULE = Rule("ASC-DTY008", "scalar-of-another-type", Severity.WARNING, check)
