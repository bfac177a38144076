"""GatherMask with a built-in pattern has no mask tensor to stride over.

## What it says
A ``GatherMask`` with a pattern number has a ``src1RepeatStride`` other than 0.

## Why
The stride belongs to the tensor of masks and is ignored.

## Example
```cpp
GatherMask(y, x, 1, false, 0, {1, 4, 8, 8}, kept);
```

## Instead
Write 0.

## Source
asc-devkit: GatherMask, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for call in instance.of(ApiCall):
            params = next((argument for argument in call.args if argument.struct == "GatherMaskParams"), None)
            built_in = call.name == "GatherMask" and len(call.args) > 2 and call.args[2].value is not None
            if params is not None and built_in and context.number(params.field("src1RepeatStride")):
                yield RULE.finding(
                    call.site,
                    "src1RepeatStride has no effect with a built-in pattern: there is no tensor of masks. Write 0",
                    facts={"field": "src1RepeatStride"},
                    fix=edits.fix(
                        "write 0", edits.field(context, instance, call, params, "src1RepeatStride", "0"), safe=True
                    ),
                )


RULE = Rule("ASC-MIS004", "gathermask-ignored-stride", Severity.INFO, check)
