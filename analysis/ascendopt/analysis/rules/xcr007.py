"""Flags between cores need a mixed kernel.

## What it says
``CrossCoreSetFlag`` is called in a kernel whose type is cube only or vector only.

## Why
The scheduler of the flags is not started for these types: the wait never ends.

## Example
```cpp
KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY); .. CrossCoreSetFlag<0x0, PIPE_MTE3>(3);
```

## Instead
Use a ``KERNEL_TYPE_MIX_..`` type.

## Source
asc-devkit: CrossCoreSetFlag, table 3.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.launch import kernel_type, kernel_types
from ascendopt.analysis.rules.rule import Context, Rule

WITH_FLAGS = {"KERNEL_TYPE_AIV_ONLY": "KERNEL_TYPE_MIX_AIV_1_0", "KERNEL_TYPE_AIC_ONLY": "KERNEL_TYPE_MIX_AIC_1_0"}


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        calls = instance.of(ApiCall)
        types = kernel_types(calls)
        if not types or not all(call.args[-1].text.endswith("_ONLY") for call in types):
            continue
        for call in calls:
            if call.name in ("CrossCoreSetFlag", "CrossCoreWaitFlag"):
                yield RULE.finding(
                    call.site,
                    f"{call.name} in a kernel of type {types[-1].args[-1].text}: the scheduler of these flags is not "
                    "started, and the wait never ends. Use a KERNEL_TYPE_MIX type",
                    facts={"api": call.name, "type": types[-1].args[-1].text},
                    fix=kernel_type(types, WITH_FLAGS.get(types[-1].args[-1].text)),
                    related=(Related(types[-1].site.path, types[-1].site.span, "the type is set here"),),
                )
                break


RULE = Rule("ASC-XCR007", "cross-core-flag-kernel-type", Severity.ERROR, check, families=frozenset({"A2", "A3", "950"}))
