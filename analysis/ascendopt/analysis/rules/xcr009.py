"""This chip has no synchronisation between cores by hardware.

## What it says
``CrossCoreSetFlag`` or ``CrossCoreWaitFlag`` is called on 310P or 310B.

## Why
The chips have no such unit.

## Example
```cpp
CrossCoreSetFlag<0x0, PIPE_MTE3>(3);  // --soc Ascend310P3
```

## Instead
Split the kernel, or use ``SyncAll`` with a workspace.

## Source
asc-devkit: architecture 2002, synchronisation.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

CALLS = frozenset({"CrossCoreSetFlag", "CrossCoreWaitFlag"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for call in instance.of(ApiCall):
            if call.name in CALLS:
                yield RULE.finding(
                    call.site,
                    f"{context.chip.name} has no {call.name}. Split the kernel, or use SyncAll with a workspace",
                    facts={"api": call.name, "chip": context.chip.name},
                )


RULE = Rule("ASC-XCR009", "no-cross-core-sync", Severity.ERROR, check, families=frozenset({"310P", "310B"}))
