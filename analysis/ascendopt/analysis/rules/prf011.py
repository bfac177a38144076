"""A vector kernel does not start cube cores.

## What it says
A kernel of a mixed type with cube cores calls nothing that needs them.

## Why
They are started and stopped for nothing.

## Example
```cpp
KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);  // and vector calls only
```

## Instead
``KERNEL_TYPE_AIV_ONLY``, or ``KERNEL_TYPE_MIX_AIV_1_0`` with ``SyncAll``.

## Source
asc-devkit: number of cores and kernel type, description.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.launch import kernel_type, kernel_types
from ascendopt.analysis.rules.rule import Context, Rule

WITH_CUBE = ("KERNEL_TYPE_MIX_AIC_1_1", "KERNEL_TYPE_MIX_AIC_1_2")
VECTOR, VECTOR_SYNC = "KERNEL_TYPE_AIV_ONLY", "KERNEL_TYPE_MIX_AIV_1_0"
CUBE = frozenset({"Mmad", "LoadData", "Fixpipe", "REGIST_MATMUL_OBJ", "IterateAll", "Iterate", "MmadImpl", "mad"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        calls = instance.of(ApiCall)
        types = kernel_types(calls)
        mixed = next((call for call in types if call.args[-1].text in WITH_CUBE), None)
        needs = any(call.name in CUBE or call.name.startswith("CrossCore") for call in calls)
        if mixed is None or needs or not instance.complete:
            continue
        yield RULE.finding(
            mixed.site,
            f"{mixed.args[-1].text} starts cube cores, and nothing here needs them. Use KERNEL_TYPE_AIV_ONLY, or "
            "KERNEL_TYPE_MIX_AIV_1_0 with SyncAll",
            facts={"type": mixed.args[-1].text},
            fix=kernel_type(types, VECTOR_SYNC if any(call.name == "SyncAll" for call in calls) else VECTOR),
        )


RULE = Rule("ASC-PRF011", "vector-kernel-as-mix", Severity.PERF, check, families=frozenset({"A2", "A3", "950"}))
