"""Event ids end at 7.

## What it says
A ``SetFlag`` or ``WaitFlag`` uses an event id above 7 (above 3 on 910), or 6 or 7, which are reserved.

## Why
Each pair of pipes has eight flags, four on 910. Another id is not defined; the library uses the last two.

## Example
```cpp
SetFlag<HardEvent::MTE2_V>(8);
```

## Instead
Take ids with ``AllocEventID`` or ``FetchEventID``; 0 to 5 where tensors are placed by hand.

## Source
asc-devkit: SetFlag/WaitFlag, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import FlagEvent, QueueEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Finding, Fix, Severity
from ascendopt.analysis.rules.flag_ids import renumbered
from ascendopt.analysis.rules.rule import Context, Rule

FLAGS = {"910": 4}
MOST = 8
RESERVED = (6, 7)


def check(context: Context) -> Iterator[Finding]:
    count = FLAGS.get(context.chip.family, MOST)
    for instance in context.instances():
        for event in instance.of(FlagEvent):
            argument = event.args[-1] if event.args else None
            number = context.number(argument.value) if argument is not None else None
            if number is None or (0 <= number < count and number not in RESERVED):
                continue
            reserved = number in RESERVED and number < count
            if reserved and argument is not None and "EVENT_ID" in argument.text:
                continue  # kernels that take no ids from the library use them all by these names
            yield RULE.finding(
                event.site,
                f"event id {number} is reserved for the library; 0 to 5 are free"
                if reserved
                else f"event id {number}: {context.chip.name} has 0 to {count - 1} for each pair of pipes"
                ". Take ids with AllocEventID or FetchEventID",
                facts={"id": number, "ids": count},
                fix=_fix(context, instance, event, number, count),
                severity=Severity.WARNING if reserved else None,
            )


def _fix(context: Context, instance: Instance, event: FlagEvent, number: int, count: int) -> Fix | None:
    """A free id of the same event, where no queue takes ids of its own."""
    if any(one.op == "EnQue" for one in instance.of(QueueEvent)):
        return None
    flags = [flag for flag in instance.of(FlagEvent) if flag.event == event.event and flag.args]
    return renumbered(context, [(flag, flag.args[-1]) for flag in flags], number, range(min(count, RESERVED[0])))


RULE = Rule("ASC-SYN003", "event-id-range", Severity.ERROR, check)
