"""One text for several runs: a fix in code that several runs of a kernel share must suit all of them.

A header is walked for each entry, tiling key and dtype column. Where these ask for different edits at one place, or one
asks for an edit and another for none, no edit is right.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.places import Region
from ascendopt.analysis.findings import Finding, Fix

Found = tuple[Instance, Finding]


def agreed(found: Iterable[Found], instances: Iterable[Instance]) -> list[Found]:
    """The findings of one rule, without the fixes that runs do not agree on."""
    known = list(found)
    fixes: dict[tuple[Path, int, int], set[Fix | None]] = {}
    runs: dict[tuple[Path, int, int], set[int]] = {}
    for instance, finding in known:
        fixes.setdefault(_place(finding), set()).add(finding.fix)
        runs.setdefault(_place(finding), set()).add(id(instance))
    every = list(instances) if any(finding.fix is not None and finding.fix.of_run for _, finding in known) else []
    dropped = {
        place
        for place, asked in fixes.items()
        if len(asked) > 1
        or any(fix is not None and fix.of_run and _others_reach(place, runs[place], every) for fix in asked)
    }
    return [
        (instance, replace(finding, fix=None) if finding.fix is not None and _place(finding) in dropped else finding)
        for instance, finding in known
    ]


def _place(finding: Finding) -> tuple[Path, int, int]:
    return (finding.path, finding.span.start, finding.span.end)


def _others_reach(place: tuple[Path, int, int], runs: set[int], instances: Iterable[Instance]) -> bool:
    """True when a run that found nothing comes through ``place``."""
    return any(id(instance) not in runs and _reaches(instance, place) for instance in instances)


def _reaches(instance: Instance, place: tuple[Path, int, int]) -> bool:
    path, start, end = place
    [table] = instance.derived("event places", lambda: (_event_places(instance),))
    return any(
        (start - region.at, end - region.at) in places
        for (file, region), places in table.items()
        if file == path and region.at <= start
    )


def _event_places(instance: Instance) -> dict[tuple[Path, Region], set[tuple[int, int]]]:
    """Where in each region the events of a run stand: regions move with the text, and what is in them with them."""
    table: dict[tuple[Path, Region], set[tuple[int, int]]] = {}
    for event in instance.events():
        at = event.site.place
        table.setdefault((event.site.path, at.region), set()).add((at.start, at.end))
    return table
