"""The scalar unit waits for what it reads.

## What it says
``GetValue`` reads a local tensor that a vector call or copy wrote, and no flag orders them.

## Why
The scalar unit runs ahead of the other pipes: it may read the old value. A queue does not cover it.

## Example
```cpp
ReduceSum(y, x, work, n);
float sum = y.GetValue(0);
```

## Instead
``SetFlag<HardEvent::V_S>(id)`` and ``WaitFlag`` in between. The compiler inserts them unless
``--cce-auto-sync`` is off, so that this is a hint.

## Source
asc-devkit: architecture 2201, synchronisation.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.ordering import Race, races
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.repair import ordered
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for race in races(instance):
            if race.after.pipe == "S" and not race.after.writes:
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


RULE = Rule("ASC-SYN009", "scalar-read-too-early", Severity.INFO, check)
