"""Pipes that share a TBuf need a flag.

## What it says
Two pipes access the same local tensor, one of them writes it, and no queue, flag or barrier orders them.

## Why
The engines run side by side: the second starts before the first has finished. A queue sets and waits for the flags
by itself, a ``TBuf`` does not.

## Example
```cpp
LocalTensor<half> t = work.Get<half>();
DataCopy(t, xGm, n);  // MTE2
Add(y, t, t, n);      // V, may start at once
```

## Instead
``SetFlag<HardEvent::MTE2_V>(id)`` behind the first and ``WaitFlag`` before the second, or use a queue.

## Source
asc-devkit: architecture 2201, synchronisation.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import FlagEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.ordering import Race, races
from ascendopt.analysis.findings import Finding, Fix, Related, Severity
from ascendopt.analysis.rules.repair import ordered
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for race in races(instance):
            if "S" not in (race.before.pipe, race.after.pipe):
                yield _finding(instance, race)


def _finding(instance: Instance, race: Race) -> Finding:
    earlier, after = race.before, race.after
    did, does = ("writes" if one.writes else "reads" for one in (earlier, after))
    who = f"{earlier.event.name} ({earlier.pipe}){' of the round before' if race.is_next_round else ''}"
    return RULE.finding(
        after.event.site,
        f"{after.event.name} ({after.pipe}) {does} {after.tensor.name} while {who} may "
        f"still be at it, which {did} it: no {race.flag} event orders them. Put SetFlag and WaitFlag of that event "
        "in between, or use a queue",
        facts={"tensor": after.tensor.name, "missing": race.flag, "before": earlier.pipe, "after": after.pipe},
        related=(Related(earlier.event.site.path, earlier.event.site.span, f"{earlier.pipe} {did} it here"),),
        fix=_fix(instance, race),
    )


def _fix(instance: Instance, race: Race) -> Fix | None:
    """A flag right before the second access; safe where no other flag of these pipes can be up with the same id."""
    return ordered(instance, race, safe=not any(flag.event == race.flag for flag in instance.of(FlagEvent)))


RULE = Rule("ASC-SYN008", "unordered-pipes", Severity.ERROR, check)
