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

from ascendopt.analysis.facts.model import FlagEvent, QueueEvent
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        queues = {event.queue for event in instance.of(QueueEvent) if event.op == "EnQue" and event.queue}
        if not queues:
            continue
        for event in instance.of(FlagEvent):
            text = event.flag.strip().rpartition("::")[2]
            if event.name.startswith("Set") and (text.isdigit() or text.startswith("EVENT_ID")):
                yield RULE.finding(
                    event.site,
                    f"event id {text} is made up, and the queues of this kernel take theirs from the same eight. Use "
                    "FetchEventID or AllocEventID",
                    facts={"id": text, "event": event.event},
                )


RULE = Rule("ASC-SYN004", "literal-event-ids", Severity.WARNING, check)
