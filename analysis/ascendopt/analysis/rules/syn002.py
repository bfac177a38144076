"""A flag is waited for before it is set again.

## What it says
The same event with the same id is set twice with no wait in between.

## Why
A flag counts one: the second set is undefined, and a later ``PipeBarrier<PIPE_ALL>`` hangs.

## Example
```cpp
SetFlag<HardEvent::V_MTE3>(0); SetFlag<HardEvent::V_MTE3>(0);
```

## Instead
Wait in between, or use another id.

## Source
asc-devkit: SetFlag/WaitFlag, constraints, last item.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.model import FlagEvent
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        up: dict[tuple[str, str], FlagEvent] = {}
        for event in instance.of(FlagEvent):
            key = (event.event, event.flag)
            if "wait" in event.name.lower():
                up.pop(key, None)
                continue
            before = up.get(key)
            # Sets in other loops or branches may be taken in turns.
            if before is not None and before.path == event.path and event.flag:
                yield RULE.finding(
                    event.site,
                    f"{event.event} with id {event.flag} is set again before anything waited for it. Wait in "
                    "between, or use "
                    "another id",
                    facts={"event": event.event, "id": event.flag},
                    related=(Related(before.site.path, before.site.span, "set here first"),),
                )
            up[key] = event


RULE = Rule("ASC-SYN002", "flag-set-twice", Severity.ERROR, check)
