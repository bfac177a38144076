"""Printing costs time and GM.

## What it says
A kernel calls ``printf``, ``PRINTF`` or ``DumpTensor``.

## Why
Each call formats on the scalar unit and writes to GM, and the kernel needs a workspace for it.

## Example
```cpp
PRINTF("tile %d", i);
```

## Instead
Compile with ``ASCENDC_DUMP=0`` for a release, or remove it.

## Source
asc-devkit: DumpTensor, functions.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Fix, Severity, TextEdit
from ascendopt.analysis.rules.rule import Context, Rule

PRINTS = frozenset({"printf", "PRINTF", "DumpTensor", "DumpAccChkPoint"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for call in instance.of(ApiCall):
            if call.name in PRINTS:
                yield RULE.finding(
                    call.site,
                    f"{call.name} formats on the scalar unit and writes to GM. Compile a release with ASCENDC_DUMP=0",
                    facts={"api": call.name},
                    fix=Fix("AscendC: remove it", (TextEdit(call.site.path, call.site.span, ""),), safe=False),
                )


RULE = Rule("ASC-MIS007", "debug-output", Severity.PERF, check)
