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

from ascendopt.analysis.facts.events import ApiCall, FlagEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Finding, Fix, Severity, TextEdit
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.repair import after, namespace, together
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
                    fix=_fix(instance, [one for one in calls if one.name == "AllocEventID"]),
                )


def _fix(instance: Instance, taken: list[ApiCall]) -> Fix | None:
    """Give each id back behind the one wait for its event in the same round."""
    return edits.fix("release it after the wait", *(_release(instance, call) for call in taken), safe=True)


def _release(instance: Instance, call: ApiCall) -> TextEdit | None:
    event = call.template_args[0].rpartition("::")[2] if call.template_args else ""
    waits = [
        flag
        for flag in instance.of(FlagEvent)
        if flag.event == event and flag.order > call.order and "wait" in flag.name.lower()
    ]
    # What stands between the pipe and the name is `.` or `->`.
    arrow = {1: ".", 2: "->"}.get(call.name_span.start - call.site.span.start - len(call.receiver_text.encode()))
    if len(waits) != 1 or arrow is None or not together(waits[0], call) or not waits[0].flag.isidentifier():
        return None
    pipe = f"{call.receiver_text}{arrow}"
    return after(waits[0].site, f"{pipe}ReleaseEventID<{namespace(waits[0])}HardEvent::{event}>({waits[0].flag})")


RULE = Rule("ASC-SYN005", "event-id-kept", Severity.ERROR, check)
