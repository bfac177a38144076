"""Functions of threads share UB with their cache.

## What it says
A kernel for 950 calls functions of threads (SIMT) and its buffers take more of UB than the data cache leaves.

## Why
The cache of 32 to 128 KB is carved out of UB: a buffer that lies there is overwritten.

## Example
```cpp
asc_vf_call<Work>(..); // with 230 KB of buffers
```

## Instead
Stay within 216 KB.

## Source
asc-devkit: architecture 3510, programming scenarios.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.rules.ub_budget import budget

CALLS = frozenset({"asc_vf_call", "VF_CALL"})
LEFT = 216 * 1024


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        call = next((call for call in instance.of(ApiCall) if call.name in CALLS), None)
        used = budget(context, instance) if call is not None else None
        if call is None or used is None or used.total <= LEFT:
            continue
        yield RULE.finding(
            call.site,
            f"{call.name} runs threads whose cache lies in UB: it leaves {LEFT} bytes, and the buffers take "
            f"{used.total}",
            facts={"allocated_bytes": used.total, "limit_bytes": LEFT},
        )


RULE = Rule("ASC-MEM010", "simt-shares-ub", Severity.ERROR, check, families=frozenset({"950"}))
