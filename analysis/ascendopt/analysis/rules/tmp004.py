"""A reduction to the greatest or least needs room for each repeat.

## What it says
``ReduceMax`` or ``ReduceMin`` has a scratch tensor smaller than its first round.

## Why
Each repeat of 256 bytes leaves a value and an index there, asked for or not: what lies behind is overwritten.

## Example
```cpp
ReduceMax(y, x, work, 4096, true);  // half: 32 repeats leave 128 bytes, work has 64
```

## Instead
Take two elements for each repeat, rounded up to 32 bytes, and the rounds after it.

## Source
asc-devkit: ReduceSum, ReduceMax, features.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.extent import room
from ascendopt.analysis.rules.rule import Context, Rule

REPEAT = 256
BLOCK = 32


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            if reading.call.name not in ("ReduceMax", "ReduceMin"):
                continue
            scratch, count = reading.argument("sharedTmpBuffer", "sharedTmpLocal", "workLocal"), reading.count
            tensor = scratch.tensor if scratch is not None else None
            found = room(context, instance, tensor)
            elements = context.number(count.value) if count is not None else None
            each = tensor.element_bytes.constant() if tensor is not None else None
            if found is None or elements is None or not each or scratch is None or count is None:
                continue
            repeats = -(-elements // (REPEAT // each))
            needed = -(-2 * repeats * each // BLOCK) * BLOCK
            if needed > found.bytes:
                yield RULE.finding(
                    reading.call.site,
                    f"{reading.call.name} of {elements} elements leaves {repeats} pairs, {needed} bytes, in "
                    f"{scratch.text}, "
                    f"which has {found.bytes}"
                    ". Make the scratch as long as that",
                    facts={"needed_bytes": needed, "limit_bytes": found.bytes},
                    related=context.host_side(count.value, *found.values),
                    fix=edits.fix(
                        "scratch as long as that",
                        edits.length(context, instance, found.init, needed - found.bytes),
                        safe=False,
                        of_run=True,
                    ),
                    case=context.case_of(count.value, *found.values),
                )


RULE = Rule(
    "ASC-TMP004", "reduce-scratch", Severity.ERROR, check, families=frozenset({"910", "A2", "A3", "310P", "310B"})
)
