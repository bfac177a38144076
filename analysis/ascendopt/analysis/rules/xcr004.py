"""SyncAll for vector cores leaves the cube cores behind.

## What it says
``SyncAll<true>`` is called in a kernel that runs on cube and vector cores.

## Why
Only the vector cores meet; a cube core that should wait goes on.

## Example
```cpp
KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2); .. SyncAll<true>();
```

## Instead
Use ``SyncAll<false>()`` where the cube cores are meant too.

## Source
asc-devkit: SyncAll, constraints of the hardware form.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity, TextEdit
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.launch import kernel_types
from ascendopt.analysis.rules.rule import Context, Rule

BOTH = ("KERNEL_TYPE_MIX_AIC_1_1", "KERNEL_TYPE_MIX_AIC_1_2")


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        calls = instance.of(ApiCall)
        types = kernel_types(calls)
        if not types or not all(call.args[-1].text in BOTH for call in types):
            continue
        for call in calls:
            if call.name == "SyncAll" and call.template_args[:1] == ("true",):
                yield RULE.finding(
                    call.site,
                    f"SyncAll<true> in a kernel of type {types[-1].args[-1].text}: the vector cores meet, the cube "
                    "cores go "
                    "on. Use SyncAll<false>() where they are meant too",
                    facts={"type": types[-1].args[-1].text},
                    fix=edits.fix(
                        "cube cores as well",
                        TextEdit(call.site.path, call.site.span, "false", r"\bSyncAll\s*<\s*(true)\s*>"),
                        safe=False,
                    ),
                )


RULE = Rule(
    "ASC-XCR004", "syncall-vector-only-in-mix", Severity.WARNING, check, families=frozenset({"A2", "A3", "950"})
)
