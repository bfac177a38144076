"""Which of several operators to work on first: the share of the whole that each takes, times the room that it has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

from ascendopt.analysis.operators import NotAnOperator, discover
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.op_summary import EndToEnd
from ascendopt.harness.target import Target
from ascendopt.harness.workload import Workload


@dataclass(frozen=True)
class HeadRoom:
    """``share`` of the operator's time, from 0 to 1, that is above what its most used resource needs at least.

    The launch is not part of the room: no change of the operator shortens it. ``bound`` is that resource.
    """

    share: float
    bound: str


@dataclass(frozen=True)
class WorkItem:
    """One operator: ``share`` of the end-to-end time, ``calls`` there; ``room`` None where it is not known.

    ``reason`` says why an operator is last for another cause than its figures.
    """

    name: str
    share: float
    calls: int
    room: HeadRoom | None
    reason: str = ""

    @property
    def worth(self) -> float:
        """The share of the end-to-end time that is there to win. Room that is not known counts as all."""
        return 0.0 if self.reason else self.share * (self.room.share if self.room else 1.0)

    def sentence(self) -> str:
        """Why it stands where it stands."""
        if self.reason:
            return f"{self.name}: {self.reason}"
        if not self.calls:
            return f"{self.name}: the profile has no run of it"
        share = f"{self.name}: {self.share:.1%} of the time in {self.calls} call{'s' if self.calls > 1 else ''}"
        if self.room is None:
            return f"{share}, with an unknown distance to its roofline"
        return f"{share}, {self.room.share:.0%} of it above its roofline ({self.room.bound}): {self.worth:.1%} to win"


def work_item(target: Target, baseline: Evaluation, profile: EndToEnd) -> WorkItem:
    """The item of ``target``, whose evaluation as it is is ``baseline``."""
    share, calls = profile.share(_names(target))
    reason = "" if baseline.ok else f"fails as it is: {baseline.reason}"
    room = head_room(baseline, target.workload) if baseline.ok else None
    return WorkItem(target.sources.name, share, calls, room, reason)


def ordered(items: Sequence[WorkItem]) -> list[int]:
    """Positions of ``items``: what is worth most first; of equal ones the larger share, then as given."""
    return sorted(range(len(items)), key=lambda index: (-items[index].worth, -items[index].share, index))


def head_room(baseline: Evaluation, workload: Workload) -> HeadRoom | None:
    """Over the timed cases by their weights, as the speed-up is: 1 - the geometric mean of (least / time).

    None where the device gives no roofline. ``bound`` is that of the case that counts most.
    """
    weights = {case.name: case.weight for case in workload.cases}
    logs, total, heaviest = 0.0, 0.0, (0.0, "")
    for case in baseline.cases:
        weight = weights.get(case.name, 1.0)
        if case.roofline is None or not case.latency_us or weight <= 0:
            continue
        resource, least = case.roofline.bound()
        floor = min(least + case.launch_us, case.latency_us)
        if floor <= 0:
            continue
        logs += weight * log(floor / case.latency_us)
        total += weight
        heaviest = max(heaviest, (weight, resource), key=lambda pair: pair[0])
    return HeadRoom(1.0 - exp(logs / total), heaviest[1]) if total else None


def _names(target: Target) -> tuple[str, ...]:
    """The type that the operator registers, then its folder's name."""
    try:
        definition = discover(target.sources.target).definition
    except NotAnOperator:
        definition = None
    return (*([definition.name] if definition is not None and definition.name else []), target.sources.name)
