"""LoadData transposes 16-bit elements from L1 only.

## What it says
A ``LoadData`` with ``ifTranspose`` loads elements that are not 16 bits wide, or loads from GM.

## Why
The unit transposes fractals of 16 by 16 elements of two bytes on their way from L1.

## Example
```cpp
LoadData(b2, b1, LoadData2DParams{0, 1, 1, 0, 0, true, 0});  // float
```

## Instead
Use ``LoadDataWithTranspose`` for other widths.

## Source
asc-devkit: LoadData 2D, constraints, item 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

WIDTH = 2


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            params = next((argument for argument in reading.call.args if argument.struct == "LoadData2DParams"), None)
            if params is None or len(reading.operands) < 2 or not context.number(params.field("ifTranspose")):
                continue
            source = reading.operands[1].argument.tensor
            each = source.element_bytes.constant() if source is not None else None
            if source is None or (source.memory == "local" and each in (None, WIDTH)):
                continue
            what = "from GM" if source.memory == "global" else f"{source.element}, {each} bytes wide"
            yield RULE.finding(
                reading.call.site,
                f"LoadData transposes 16-bit elements on their way from L1 only; this is {what}"
                ". Use LoadDataWithTranspose from L1",
                facts={"dtype": source.element, "memory": source.memory},
            )


RULE = Rule("ASC-ALN019", "loaddata-transpose", Severity.ERROR, check)
