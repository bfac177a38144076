"""SyncAll needs a kernel type with its scheduler.

## What it says
``SyncAll`` by hardware is called in a kernel of type ``KERNEL_TYPE_AIV_ONLY``.

## Why
The flags that it uses are served only where the kernel is started as a mixed one: the cores wait for ever.

## Example
```cpp
KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY); .. SyncAll();
```

## Instead
Use ``KERNEL_TYPE_MIX_AIV_1_0`` for a vector kernel.

## Source
asc-devkit: SyncAll, constraints of the hardware form.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.launch import kernel_type, kernel_types
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        calls = instance.of(ApiCall)
        types = kernel_types(calls)
        if not types or not all(call.args[-1].text == "KERNEL_TYPE_AIV_ONLY" for call in types):
            continue
        for call in calls:
            if call.name == "SyncAll" and not call.args:
                yield RULE.finding(
                    call.site,
                    "SyncAll in a kernel of type KERNEL_TYPE_AIV_ONLY: its flags are not served, and the cores "
                    "wait for "
                    "ever. Use KERNEL_TYPE_MIX_AIV_1_0",
                    facts={"type": "KERNEL_TYPE_AIV_ONLY"},
                    related=(Related(types[-1].site.path, types[-1].site.span, "the type is set here"),),
                    fix=kernel_type(types, "KERNEL_TYPE_MIX_AIV_1_0"),
                )
                break


RULE = Rule("ASC-XCR003", "syncall-kernel-type", Severity.ERROR, check, families=frozenset({"A2", "A3", "950"}))
