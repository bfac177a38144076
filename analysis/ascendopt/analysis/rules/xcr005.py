"""Flags between cores end at 15, and the library uses 11 to 14.

## What it says
``CrossCoreSetFlag`` or ``CrossCoreWaitFlag`` uses a flag above 15, or one that ``SyncAll`` uses.

## Why
The field is four bits wide. 11 to 14 are taken by ``SyncAll``: both wait for each other.

## Example
```cpp
CrossCoreSetFlag<0x0, PIPE_MTE3>(16);
```

## Instead
Use 0 to 10.

## Source
asc-devkit: CrossCoreSetFlag, range of flagId; architecture 2201, synchronisation between cores.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall, exclusive
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.flag_ids import renumbered
from ascendopt.analysis.rules.rule import Context, Rule

LAST = 15
TAKEN = range(11, 15)
CALLS = frozenset({"CrossCoreSetFlag", "CrossCoreWaitFlag"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        syncs = [call for call in instance.of(ApiCall) if call.name == "SyncAll"]
        for call in instance.of(ApiCall):
            number = context.number(call.args[0].value) if call.name in CALLS and call.args else None
            beside = number in TAKEN and any(not exclusive(call, sync) for sync in syncs)
            if number is None or (0 <= number <= LAST and not beside):
                continue
            why = f"SyncAll uses {TAKEN[0]} to {TAKEN[-1]}" if number in TAKEN else f"flags are 0 to {LAST}"
            uses = [(one, one.args[0]) for one in instance.of(ApiCall) if one.name in CALLS and one.args]
            yield RULE.finding(
                call.site,
                f"flag {number} of {call.name}: {why}. Use 0 to 10",
                facts={"id": number, "api": call.name},
                fix=renumbered(context, uses, number, range(TAKEN[0])),
            )


RULE = Rule("ASC-XCR005", "cross-core-flag-range", Severity.ERROR, check, families=frozenset({"A2", "A3", "950"}))
