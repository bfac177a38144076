"""The length of a DataCopyPad is a multiple of the element size.

## What it says
A ``DataCopyPad`` has a ``blockLen`` that is no multiple of ``sizeof(T)``.

## Why
``blockLen`` counts bytes. A number of elements in its place moves a part of the data, often half of it.

## Example
```cpp
DataCopyPad(x, xGm, DataCopyExtParams{1, 33, 0, 0, 0}, pad);  // half: 33 elements were meant
```

## Instead
Multiply by ``sizeof(T)``.

## Source
asc-devkit: DataCopyPad (GM to UB), constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            params = reading.argument("dataCopyParams", "intriParams")
            tensor = reading.operands[0].argument.tensor if reading.operands else None
            if reading.call.name != "DataCopyPad" or params is None or tensor is None:
                continue
            length, each = params.field("blockLen"), tensor.element_bytes.constant()
            number = context.number(length)
            if number is None or not each or number % each == 0:
                continue
            yield RULE.finding(
                reading.call.site,
                f"blockLen {number} is no multiple of sizeof({tensor.element}) = {each}: it counts bytes. "
                f"{number} elements are {number * each} bytes",
                facts={"blockLen": number, "element_bytes": each, "dtype": tensor.element},
                related=context.host_side(length),
                fix=edits.fix(
                    "count bytes",
                    edits.field(
                        context, instance, reading.call, params, "blockLen", f"({{}}) * sizeof({tensor.element})"
                    ),
                    safe=False,
                    of_run=True,
                ),
                case=context.case_of(length),
            )


RULE = Rule("ASC-RNG007", "datacopypad-length-unit", Severity.ERROR, check)
