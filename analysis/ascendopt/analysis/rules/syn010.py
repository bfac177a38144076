"""What the scalar unit writes is waited for.

## What it says
A vector call or copy uses a local tensor that ``SetValue`` wrote, or ``SetValue`` writes what another pipe still
reads, and no flag orders them, in a kernel that sets flags between these two pipes elsewhere.

## Why
The other pipe may start before the value is there.

## Example
```cpp
x.SetValue(0, a);
Add(y, x, x, n);
```

## Instead
``SetFlag<HardEvent::S_V>(id)`` and ``WaitFlag`` in between. The compiler inserts them unless
``--cce-auto-sync`` is off, so that this is a hint, and a kernel that leaves all of them to the compiler gets none.

## Source
asc-devkit: SetValue, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import FlagEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.ordering import Race, races
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.repair import ordered
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        by_hand = {flag.event for flag in instance.of(FlagEvent)}
        for race in races(instance) if by_hand else ():
            scalar = race.before.pipe == "S" or (race.after.pipe == "S" and race.after.writes)
            if scalar and race.flag in by_hand:
                yield _finding(instance, race)


def _finding(instance: Instance, race: Race) -> Finding:
    before, after = race.before, race.after
    did, does = ("writes" if one.writes else "reads" for one in (before, after))
    return RULE.finding(
        after.event.site,
        f"{after.event.name} ({after.pipe}) {does} {after.tensor.name} while {before.event.name} ({before.pipe}) may "
        f"still be at it, which {did} it: no {race.flag} event orders them. Put SetFlag and WaitFlag of that event "
        "in between",
        facts={"tensor": after.tensor.name, "missing": race.flag, "before": before.pipe, "after": after.pipe},
        related=(Related(before.event.site.path, before.event.site.span, f"{before.pipe} {did} it here"),),
        fix=ordered(instance, race, safe=False),  # beside one of the compiler it costs time for nothing
    )


RULE = Rule("ASC-SYN010", "scalar-write-not-waited-for", Severity.INFO, check)
