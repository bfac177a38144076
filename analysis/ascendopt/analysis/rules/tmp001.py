"""Select by bits keeps its scratch at the end of UB.

## What it says
A ``Select`` in a mode that reads a tensor of bits is used, and the buffers of the kernel leave less than 8 KB of
UB.

## Why
It writes to a fixed place behind byte 184 K of A2 and A3: a buffer that lies there is overwritten.

## Example
```cpp
pipe.InitBuffer(queue, 2, 95 * 1024); .. Select(y, mask, x, a, SELMODE::VSEL_TENSOR_SCALAR_MODE, n);
```

## Instead
Keep the last 8 KB free.

## Source
asc-devkit: Select, constraints (UB).
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.model import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.rules.ub_budget import budget

MODES = ("VSEL_TENSOR_SCALAR_MODE", "VSEL_TENSOR_TENSOR_MODE")


def check(context: Context) -> Iterator[Finding]:
    limit = context.chip.ub_kernel_bytes
    for instance in context.instances():
        call = next((call for call in instance.of(ApiCall) if call.name == "Select" and _by_bits(call)), None)
        used = budget(context, instance) if call is not None else None
        if call is None or used is None or limit is None or used.total <= limit:
            continue
        yield RULE.finding(
            call.site,
            f"Select keeps its scratch behind byte {limit}, and the buffers of this kernel take {used.total} bytes "
            "of UB: "
            f"{used.total - limit} bytes of them are overwritten. Keep the end of UB free",
            facts={"allocated_bytes": used.total, "limit_bytes": limit, "over_bytes": used.total - limit},
            related=context.host_side(*(event.total for event in used.buffers)),
            case=context.case_of(*(event.total for event in used.buffers)),
        )


def _by_bits(call: ApiCall) -> bool:
    return any(argument.text.strip().endswith(MODES) for argument in call.args)


RULE = Rule("ASC-TMP001", "select-scratch", Severity.ERROR, check, families=frozenset({"A2", "A3", "310P"}))
