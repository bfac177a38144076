"""Atomic stores leave from certain memories.

## What it says
A copy from L1 to GM runs while atomic stores are on, on a chip that adds from UB or L0C only.

## Why
The path has no adder there: A2 and A3 add from UB, L0C and L1, 950 from UB and L0C, 310P and 910 from UB.

## Example
```cpp
SetAtomicAdd<float>(); DataCopy(yGm, a1, n);  // --soc Ascend310P3
```

## Instead
Move the data through UB.

## Source
asc-devkit: SetAtomicAdd, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall, CopyEvent
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

ON = frozenset({"SetAtomicAdd", "SetAtomicMax", "SetAtomicMin"})
OFF = frozenset({"SetAtomicNone", "DisableDmaAtomic"})
L1 = frozenset({"A1", "B1", "C1", "TSCM"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        adding: ApiCall | None = None
        for call in instance.of(ApiCall):
            if call.name in ON or call.name in OFF:
                adding = call if call.name in ON else None
            source = call.args[1].tensor if isinstance(call, CopyEvent) and call.direction == "out" else None
            if adding is not None and source is not None and source.position in L1:
                yield RULE.finding(
                    call.site,
                    f"{adding.name} is on and {call.name} leaves from L1 ({source.position}): {context.chip.name} "
                    "has no "
                    "adder on that path. Move the data through UB",
                    facts={"position": source.position, "chip": context.chip.name},
                )


RULE = Rule("ASC-ATM003", "atomic-path", Severity.ERROR, check, families=frozenset({"910", "310P", "950"}))
