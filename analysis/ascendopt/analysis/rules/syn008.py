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

from ascendopt.analysis.facts.ordering import Race, races
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for race in races(instance):
            if "S" not in (race.before.pipe, race.after.pipe):
                yield _finding(race)


def _finding(race: Race) -> Finding:
    before, after = race.before, race.after
    did, does = ("writes" if one.writes else "reads" for one in (before, after))
    return RULE.finding(
        after.event.site,
        f"{after.event.name} ({after.pipe}) {does} {after.tensor.name} while {before.event.name} ({before.pipe}) may "
        f"still be at it, which {did} it: no {race.flag} event orders them. Put SetFlag and WaitFlag of that event "
        "in between, or use a queue",
        facts={"tensor": after.tensor.name, "missing": race.flag, "before": before.pipe, "after": after.pipe},
        related=(Related(before.event.site.path, before.event.site.span, f"{before.pipe} {did} it here"),),
    )


RULE = Rule("ASC-SYN008", "unordered-pipes", Severity.ERROR, check)
