"""Transfers below 16 KB do not reach the bandwidth.

## What it says
A copy between GM and UB in the main loop moves less than 16 KB, and UB has room for longer ones.

## Why
Each transfer pays a fixed latency of some hundred cycles. Below 16 KB it is not hidden.

## Example
```cpp
constexpr uint32_t TILE = 1024;  // half: 2 KB a copy, 12 KB of 192 KB used
```

## Instead
Use longer tiles: derive them from the UB size.

## Source
asc-devkit: move a larger block of data at once.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import CopyEvent
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.rules.traffic import worth_shaping
from ascendopt.analysis.rules.ub_budget import budget

GOOD_BYTES = 16384


def check(context: Context) -> Iterator[Finding]:
    room = context.chip.ub_bytes
    if room is None:
        return
    for instance in context.instances():
        used = budget(context, instance)
        if not used.complete or used.total == 0:
            continue
        for copy in instance.of(CopyEvent):
            finding = _check_copy(context, copy, used.total, room)
            if finding is not None:
                yield finding


def _check_copy(context: Context, copy: CopyEvent, used: int, room: int) -> Finding | None:
    size = context.number(copy.bytes)
    if size is None or size >= GOOD_BYTES or size <= 0 or copy.direction not in ("in", "out") or not copy.in_loop:
        return None
    if not worth_shaping(context, copy, size):
        return None
    factor = min(room // used, -(-GOOD_BYTES // size))
    if factor < 2:
        return None
    return RULE.finding(
        copy.site,
        f"{copy.name} moves {size} bytes per call; below {GOOD_BYTES} bytes the bandwidth is not reached. UB has room: "
        f"{used} of {room} bytes are used, a {factor} times longer tile fits",
        facts={"bytes": size, "wanted_bytes": GOOD_BYTES, "ub_used": used, "room_factor": factor},
        related=context.host_side(copy.bytes, *(step.trip for step in copy.loops)),
        case=context.case_of(copy.bytes, *(step.trip for step in copy.loops)),
    )


RULE = Rule("ASC-PRF001", "short-transfer", Severity.PERF, check)
