"""The Matmul library uses flags of its own.

## What it says
A kernel with Matmul objects sets a flag between cores that the library uses: two for each object, from 0 on.

## Why
Both wait for each other.

## Example
```cpp
REGIST_MATMUL_OBJ(&pipe, ws, mm, &tiling); .. CrossCoreSetFlag<0x2, PIPE_MTE3>(1);
```

## Instead
Use 8 to 10.

## Source
asc-devkit: CrossCoreSetFlag, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.flag_ids import renumbered
from ascendopt.analysis.rules.rule import Context, Rule

CALLS = frozenset({"CrossCoreSetFlag", "CrossCoreWaitFlag"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        calls = instance.of(ApiCall)
        objects = sum((len(call.args) - 2 + 1) // 2 for call in calls if call.name == "REGIST_MATMUL_OBJ")
        uses = [(call, call.args[0]) for call in calls if call.name in CALLS and call.args]
        for call in calls:
            number = context.number(call.args[0].value) if call.name in CALLS and call.args else None
            if number is not None and number < 2 * objects:
                yield RULE.finding(
                    call.site,
                    f"flag {number} of {call.name}: the {objects} Matmul object(s) of this kernel use 0 to "
                    f"{2 * objects - 1}. "
                    "Use 8 to 10",
                    facts={"id": number, "objects": objects},
                    fix=renumbered(context, uses, number, range(max(8, 2 * objects), 11)),
                )


RULE = Rule("ASC-XCR006", "flag-of-the-matmul-library", Severity.ERROR, check, families=frozenset({"A2", "A3", "950"}))
