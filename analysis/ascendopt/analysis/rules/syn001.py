"""Each SetFlag has a WaitFlag.

## What it says
An event is set and never waited for, or waited for and never set.

## Why
A wait for a flag that nobody sets ends in a timeout. A flag that nobody waits for stays up, and the next set of it
is undefined.

## Example
```cpp
SetFlag<HardEvent::MTE2_V>(id);
Add(z, x, y, n);  // WaitFlag<HardEvent::MTE2_V>(id) is missing
```

## Instead
Write both sides with the same event and the same id.

## Source
asc-devkit: SetFlag/WaitFlag, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import FlagEvent
from ascendopt.analysis.findings import Finding, Fix, Severity
from ascendopt.analysis.rules.repair import before, behind, other_half
from ascendopt.analysis.rules.rule import Context, Rule, more_places


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        if not instance.complete:
            continue
        events = instance.of(FlagEvent)
        if any(not _is_plain(event) for event in events):
            continue
        for name in dict.fromkeys(event.event for event in events):
            own = [event for event in events if event.event == name]
            for kind, other, effect in (
                ("wait", "SetFlag", "the core waits for ever"),
                ("set", "WaitFlag", "the flag stays up, and nobody is held back by it"),
            ):
                if all(kind in event.name.lower() for event in own):
                    yield RULE.finding(
                        own[0].site,
                        f"{own[0].name} {name} without {other}: {effect}. Add the {other} of the same event and id, or "
                        f"drop this {own[0].name}",
                        facts={"event": name, "missing": other},
                        related=more_places(one.site for one in own[1:]),
                        fix=_fix(own[0], other) if len(own) == 1 else None,
                    )


def _fix(event: FlagEvent, other: str) -> Fix | None:
    """The missing half right beside the other one: what was queued before it is waited for there."""
    text = other_half(event, other)
    if text is None:
        return None
    if other == "SetFlag":
        return before(event.site, "set the flag", f"{text};", safe=True)
    return behind(event.site, "wait for the flag", text, safe=True)


def _is_plain(event: FlagEvent) -> bool:
    """False for an event whose name is not a pair of pipes, as in a template parameter that is not bound."""
    return "_" in event.event and event.event.replace("_", "").isalnum() and event.event.isupper()


RULE = Rule("ASC-SYN001", "flag-without-partner", Severity.ERROR, check)
