"""Mutex ids end at 27.

## What it says
``Lock`` or ``Unlock`` uses an id outside of 0 to 27, or one side is missing.

## Why
There are 28 mutexes. A lock that is never given back stops the next one.

## Example
```cpp
Lock<PIPE_V>(28);
```

## Instead
Take ids with ``AllocMutexID``.

## Source
asc-devkit: Mutex, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.flag_ids import renumbered
from ascendopt.analysis.rules.rule import Context, Rule

LAST = 27
SIDES = {"Lock": "Unlock", "Unlock": "Lock"}


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        calls = [call for call in instance.of(ApiCall) if call.name in SIDES and not call.receiver_text]
        for call in calls:
            number = context.number(call.args[0].value) if call.args else None
            if number is not None and not 0 <= number <= LAST:
                yield RULE.finding(
                    call.site,
                    f"mutex {number}: there are 0 to {LAST}. Take the id from AllocMutexID",
                    facts={"id": number, "limit": LAST},
                    fix=renumbered(context, [(one, one.args[0]) for one in calls if one.args], number, range(LAST + 1)),
                )
        names = {call.name for call in calls}
        if instance.complete and len(names) == 1:
            missing = SIDES[calls[0].name]
            effect = (
                "the mutex is never given back, and the next Lock of it waits for ever. Add Unlock behind the last use"
                if missing == "Unlock"
                else "nothing is held that could be given back. Add Lock before the first use"
            )
            text = f"{calls[0].name} without {missing}: {effect}"
            yield RULE.finding(calls[0].site, text, facts={"missing": missing})


RULE = Rule("ASC-SYN012", "mutex-id-range", Severity.ERROR, check, families=frozenset({"950"}))
