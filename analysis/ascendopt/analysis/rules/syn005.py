"""An event id that was taken is given back.

## What it says
``AllocEventID`` is called inside of a loop and ``ReleaseEventID`` never.

## Why
Each pair of pipes has eight ids: the ninth round finds none and asserts or hangs.

## Example
```cpp
for (..) { auto id = pipe.AllocEventID<HardEvent::V_S>(); .. }
```

## Instead
Release it after the wait, or take it once before the loop. ``FetchEventID`` does not take it.

## Source
asc-devkit: architecture 2201, synchronisation, notes.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.model import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        calls = instance.of(ApiCall)
        if not instance.complete or any(call.name == "ReleaseEventID" for call in calls):
            continue
        for call in calls:
            if call.name == "AllocEventID" and call.in_loop:
                yield RULE.finding(
                    call.site,
                    "AllocEventID in a loop without ReleaseEventID: after eight rounds no id is left. Release it "
                    "after the "
                    "wait, or take it before the loop",
                    facts={"api": call.name},
                )


RULE = Rule("ASC-SYN005", "event-id-kept", Severity.ERROR, check)
