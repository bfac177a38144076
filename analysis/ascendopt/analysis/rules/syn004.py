"""Event ids are taken, not made up, beside queues.

## What it says
A kernel with queues sets a flag with a literal event id.

## Why
Queues take their ids from the same eight: a made-up id can be one that a queue is using, and one of the two waits
for the other.

## Example
```cpp
SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);  // beside TQue
```

## Instead
Take ids with ``FetchEventID`` or ``AllocEventID`` of the pipe.

## Source
asc-devkit: SetFlag/WaitFlag, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ascendopt.analysis.facts.events import FlagEvent, QueueEvent
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule, more_places


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        queues = {event.queue for event in instance.of(QueueEvent) if event.op == "EnQue" and event.queue}
        if not queues:
            continue
        made_up: dict[Path, list[FlagEvent]] = {}
        for event in instance.of(FlagEvent):
            if event.name.startswith("Set") and _is_literal(event):
                made_up.setdefault(event.site.path, []).append(event)
        for events in made_up.values():
            yield _finding(sorted(events, key=lambda event: event.site.span))


def _is_literal(event: FlagEvent) -> bool:
    text = event.flag.strip().rpartition("::")[2]
    return text.isdigit() or text.startswith("EVENT_ID")


def _finding(events: list[FlagEvent]) -> Finding:
    """One finding for a file, at the first of the places."""
    others = len(dict.fromkeys(event.site.span for event in events)) - 1
    event = events[0]
    text = event.flag.strip().rpartition("::")[2]
    more = f" (also at {others} more in this file)" if others else ""
    return RULE.finding(
        event.site,
        f"event id {text} is made up{more}, and the queues of this kernel take theirs from the same eight. Use "
        "FetchEventID or AllocEventID",
        facts={"id": text, "event": event.event, "places": others + 1},
        related=more_places(other.site for other in events if other.site.span != event.site.span),
    )


RULE = Rule("ASC-SYN004", "literal-event-ids", Severity.WARNING, check)
