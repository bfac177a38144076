"""A function that takes its own scratch needs room for it.

## What it says
A library function without a work tensor is called, and the buffers take all of UB.

## Why
It takes its scratch from what ``InitBuffer`` left: there is nothing left, and it works outside of UB.

## Example
```cpp
bufBytes = ubSize / 2;  // two buffers, and Sigmoid(y, x, n) in the kernel
```

## Instead
Keep a part of UB free on the host, or give the function a work tensor of the size that ``Get..MaxMinTmpSize`` says.

## Source
asc-devkit: Sigmoid and the other library functions, sharedTmpBuffer.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import Reading, readings
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.rules.ub_budget import budget, linked_total

LEAST_SCRATCH = 256
OWN_SCRATCH = frozenset(
    (
        *(
            "Sigmoid",
            "Tanh",
            "Erf",
            "Erfc",
            "Gelu",
            "FasterGelu",
            "Silu",
            "Swish",
            "Sin",
            "Cos",
            "Power",
            "Log",
            "Log2",
        ),
        *("Log10", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Tan", "Fmod", "Round", "Floor", "Ceil", "Trunc", "Sign"),
    )
)


def check(context: Context) -> Iterator[Finding]:
    limit = context.chip.ub_bytes
    for instance in context.instances():
        call = next(
            (one.call for one in readings(instance) if one.call.name in OWN_SCRATCH and not _has_scratch(one)), None
        )
        if call is None or limit is None:
            continue
        used = budget(context, instance)
        linked = linked_total(context, used, limit)
        total = used.total if used.complete else linked.total if linked is not None else None
        if total is None or not limit - LEAST_SCRATCH < total <= limit:
            continue
        cause = linked.cause if linked is not None and not used.complete else None
        where = cause.site if cause is not None else call.site
        yield RULE.finding(
            where,
            f"the buffers take {total} of {limit} bytes of UB, and {call.name} without a work tensor takes its "
            "scratch from "
            "the rest: no bytes left. Reserve space, or pass a sharedTmpBuffer",
            facts={"allocated_bytes": total, "limit_bytes": limit, "api": call.name},
            related=(
                Related(call.site.path, call.site.span, f"{call.name} takes its scratch here"),
                *(context.host_side(*(event.total for event in used.buffers)) if cause is None else ()),
            ),
            case=context.case_of(*(event.total for event in used.buffers)) if used.complete else None,
        )


def _has_scratch(reading: Reading) -> bool:
    return reading.argument("sharedTmpBuffer") is not None


RULE = Rule("ASC-TMP006", "scratch-without-room", Severity.ERROR, check)
