"""Brcb keeps its scratch at the end of UB on 310P.

## What it says
``Brcb`` or a copy from rows to fractals is used on 310P, and the buffers of the kernel leave less than 8 KB of UB.

## Why
The last 8 KB are overwritten.

## Example
```cpp
pipe.InitBuffer(queue, 2, 127 * 1024); .. Brcb(y, x, 4, {1, 8});
```

## Instead
Keep the last 8 KB free.

## Source
asc-devkit: Brcb, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.rules.ub_budget import budget

SCRATCH = 8192


def check(context: Context) -> Iterator[Finding]:
    size = context.chip.ub_bytes
    for instance in context.instances():
        call = next((call for call in instance.of(ApiCall) if _takes_scratch(call)), None)
        used = budget(context, instance) if call is not None else None
        if call is None or used is None or size is None or used.total <= size - SCRATCH:
            continue
        yield RULE.finding(
            call.site,
            f"{call.name} uses the last {SCRATCH} bytes of UB, and the buffers of this kernel take {used.total} of "
            f"{size}"
            ". Keep the end of UB free",
            facts={"allocated_bytes": used.total, "limit_bytes": size - SCRATCH},
            related=context.host_side(*(event.total for event in used.buffers)),
            case=context.case_of(*(event.total for event in used.buffers)),
        )


def _takes_scratch(call: ApiCall) -> bool:
    return call.name == "Brcb" or any(argument.struct == "Nd2NzParams" for argument in call.args)


RULE = Rule("ASC-TMP002", "brcb-scratch-310p", Severity.ERROR, check, families=frozenset({"310P"}))
