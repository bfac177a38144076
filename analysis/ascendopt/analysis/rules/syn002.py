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

from collections.abc import Iterable, Iterator

from ascendopt.analysis.facts.events import FlagEvent
from ascendopt.analysis.findings import Finding, Fix, Related, Severity
from ascendopt.analysis.rules.repair import before as before_it
from ascendopt.analysis.rules.repair import other_half
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        flags = instance.of(FlagEvent)
        clashes = list(_clashes(flags))
        for before, event in clashes:
            key = _key(event)
            own = [flag for flag in flags if _key(flag) == key]
            waits = sum(_waits(flag) for flag in own)
            # With one wait more for each clash every set has its own.
            missing = len(own) - 2 * waits == sum(_key(again) == key for _, again in clashes)
            plain = missing and all(flag.path == event.path for flag in own)
            yield RULE.finding(
                event.site,
                f"{event.event} with id {event.flag} is set again before anything waited for it. Wait in "
                "between, or use another id",
                facts={"event": event.event, "id": event.flag},
                related=(Related(before.site.path, before.site.span, "set here first"),),
                fix=_fix(event) if plain else None,
            )


def _clashes(flags: Iterable[FlagEvent]) -> Iterator[tuple[FlagEvent, FlagEvent]]:
    """The sets of a flag that is up, with the one that put it up."""
    up: dict[tuple[str, str], FlagEvent] = {}
    for event in flags:
        if _waits(event):
            up.pop(_key(event), None)
            continue
        before = up.get(_key(event))
        # Sets in other loops or branches may be taken in turns.
        if before is not None and before.path == event.path and event.flag:
            yield before, event
        up[_key(event)] = event


def _fix(event: FlagEvent) -> Fix | None:
    wait = other_half(event, "WaitFlag")
    return before_it(event.site, "wait in between", f"{wait};", safe=True) if wait is not None else None


def _key(event: FlagEvent) -> tuple[str, str]:
    return (event.event, event.flag)


def _waits(event: FlagEvent) -> bool:
    return "wait" in event.name.lower()


RULE = Rule("ASC-SYN002", "flag-set-twice", Severity.ERROR, check)
