"""Buffers in L1 and L0 fit.

## What it says
The buffers of a position outside of UB take more than its memory has: L1 for A1, B1, C1 and TSCM, L0A for A2, L0B
for B2, L0C for CO1.

## Why
The allocation fails, or addresses wrap around.

## Example
```cpp
pipe.InitBuffer(a1Queue, 2, 300 * 1024);  // L1 has 512 KB
```

## Instead
Use smaller base blocks.

## Source
asc-devkit: architecture 2201, memory table.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import InitBufferEvent, PipeEvent
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

MEMORIES = (
    ("L1", frozenset({"A1", "B1", "C1", "TSCM"}), "l1_bytes"),
    ("L0A", frozenset({"A2"}), "l0a_bytes"),
    ("L0B", frozenset({"B2"}), "l0b_bytes"),
    ("L0C", frozenset({"CO1"}), "l0c_bytes"),
)


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        if any(event.op in ("Reset", "Destroy") for event in instance.of(PipeEvent)):
            continue
        for name, positions, field in MEMORIES:
            limit: int | None = getattr(context.chip, field)
            used = 0
            for event in instance.of(InitBufferEvent):
                if event.queue is None or not positions & set(event.queue.positions[:1]) or event.path:
                    continue
                used += context.number(event.total) or 0
                if limit is not None and used > limit:
                    yield RULE.finding(
                        event.site,
                        f"the buffers in {name} take {used} bytes of {limit} on {context.chip.name}, over by "
                        f"{used - limit}. "
                        "Use smaller base blocks",
                        facts={
                            "memory": name,
                            "allocated_bytes": used,
                            "limit_bytes": limit,
                            "over_bytes": used - limit,
                        },
                        related=context.host_side(event.total),
                        case=context.case_of(event.total),
                    )
                    break


RULE = Rule("ASC-MEM002", "l1-l0-budget", Severity.ERROR, check)
