"""A copy from fractals to rows moves a multiple of 16 columns.

## What it says
A ``DataCopy`` that turns fractals into rows (NZ to ND) has a ``dValue`` that is no multiple of 16.

## Why
A fractal is 16 columns wide and is moved whole.

## Example
```cpp
Nz2NdParamsFull nd{1, 32, 40, 0, 32, 40, 0};  // 40 columns
```

## Instead
Round the columns up to 16 and leave room for them.

## Source
asc-devkit: DataCopy with NZ to ND conversion, parameters.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule

FRACTAL = 16
WHOLE = f"(({{}}) + {FRACTAL - 1}) / {FRACTAL} * {FRACTAL}"


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            params = next((argument for argument in reading.call.args if argument.struct == "Nz2NdParamsFull"), None)
            columns = context.number(params.field("dValue")) if params is not None else None
            if params is None or columns is None or columns % FRACTAL == 0:
                continue
            yield RULE.finding(
                reading.call.site,
                f"dValue {columns} is no multiple of {FRACTAL}: fractals are moved whole. "
                f"Use {-(-columns // FRACTAL) * FRACTAL}",
                facts={"dValue": columns, "multiple": FRACTAL},
                related=context.host_side(params.field("dValue")),
                fix=edits.fix(
                    "move whole fractals (the target needs that room)",
                    edits.field(
                        context,
                        instance,
                        reading.call,
                        params,
                        "dValue",
                        WHOLE,
                    ),
                    safe=False,
                ),
                case=context.case_of(params.field("dValue")),
            )


RULE = Rule("ASC-RNG025", "nz2nd-columns", Severity.ERROR, check)
