"""What became of the trials: how many passed, failed or were pruned, and why, with the numbers behind it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ascendopt.harness.report.model import TrialRow

STATES = {
    "ok": "passed all gates",
    "slower": "no faster than the original, values not computed",
    "static": "pruned by the analysis (free)",
    "compile": "did not compile",
    "incorrect": "wrong values",
    "violation": "broke a rule of the chip",
    "timeout": "ran out of time",
    "failed": "failed while running",
    "repeat": "known already (free)",
    "noop": "changed nothing (free)",
}
# Numbers that stand alone: the 1 in Ascend910B1 or in MEM001 is part of a name.
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\w)")

_CASE = re.compile(r"case ([^:,]+)[:,] ")
_RULE = re.compile(r"\((ASC-[A-Z]+\d+)\)$")


@dataclass(frozen=True)
class Span:
    """The least and the largest of some numbers."""

    low: float
    high: float

    def __str__(self) -> str:
        return _short(self.low) if self.low == self.high else f"{_short(self.low)} to {_short(self.high)}"


@dataclass(frozen=True)
class GeneSpan:
    """Values of a gene in the rejected trials of a group, and in those that passed (None: nothing passed)."""

    gene: str
    rejected: str
    passed: str | None


@dataclass(frozen=True)
class ReasonGroup:
    """Trials that were rejected for the same reason but for its numbers.

    ``reason`` has the range of each number in its place; ``cases`` are those that it was seen in, where it names one;
    ``places`` are files and lines; ``genes`` are those with values that nothing passed with; ``trials`` are their
    numbers.
    """

    state: str
    reason: str
    cases: tuple[str, ...]
    places: tuple[str, ...]
    trials: tuple[int, ...]
    genes: tuple[GeneSpan, ...]

    @property
    def count(self) -> int:
        """How many trials."""
        return len(self.trials)


@dataclass(frozen=True)
class Outcomes:
    """Trials by state in the order of STATES, and the reasons of those that were rejected, the most frequent first."""

    states: Mapping[str, int]
    reasons: tuple[ReasonGroup, ...]


def outcomes_of(trials: Sequence[TrialRow]) -> Outcomes:
    """Group the trials of one run."""
    counts = {state: sum(trial.state == state for trial in trials) for state in STATES}
    groups: dict[tuple[str, str], list[TrialRow]] = {}
    for trial in trials:
        if trial.reason:
            groups.setdefault((trial.state, _NUMBER.sub("#", _core(trial.reason))), []).append(trial)
    passed = [trial for trial in trials if trial.state == "ok"]
    reasons = [_group(members, passed) for members in groups.values()]
    return Outcomes(
        {state: count for state, count in counts.items() if count},
        tuple(sorted(reasons, key=lambda group: (-group.count, group.trials))),
    )


def _group(members: Sequence[TrialRow], passed: Sequence[TrialRow]) -> ReasonGroup:
    cases = [found[1] for member in members if (found := _CASE.match(member.reason))]
    return ReasonGroup(
        members[0].state,
        _with_ranges([_core(member.reason) for member in members]),
        tuple(dict.fromkeys(cases)),
        tuple(dict.fromkeys(member.place for member in members if member.place)),
        tuple(member.number for member in members),
        _genes(members, passed),
    )


def _core(reason: str) -> str:
    """What is wrong: without the case that showed it, and the advice and shares behind the first sentence."""
    rest = _CASE.sub("", reason)
    rule = _RULE.search(rest)
    sentence, more, _ = rest.partition(". ")
    return f"{sentence} ({rule[1]})" if rule and more else rest


def _with_ranges(texts: Sequence[str]) -> str:
    """The common text of ``texts``, which differ in their numbers only, with the range of each."""
    columns = zip(*([float(number) for number in _NUMBER.findall(text)] for text in texts), strict=True)
    spans = iter([Span(min(column), max(column)) for column in columns])
    return _NUMBER.sub(lambda _match: str(next(spans)), texts[0])


def _genes(members: Sequence[TrialRow], passed: Sequence[TrialRow]) -> tuple[GeneSpan, ...]:
    """Genes with a value that nothing passed with, the ones where that is so most often first; else all of them: then
    it is their combination."""
    names = dict.fromkeys(gene for member in members for gene in member.genes)
    outside = {name: sum(not _between(member.genes.get(name), passed, name) for member in members) for name in names}
    shown = sorted((name for name in names if outside[name]), key=lambda name: -outside[name]) or [*names]
    return tuple(GeneSpan(name, _values(members, name), _values(passed, name) if passed else None) for name in shown)


def _between(value: object, passed: Sequence[TrialRow], gene: str) -> bool:
    """Whether ``value`` lies between those that passed; of texts, whether it is one of them."""
    others = [trial.genes[gene] for trial in passed if gene in trial.genes]
    if isinstance(value, (int, float)):
        numbers = [other for other in others if isinstance(other, (int, float))]
        return bool(numbers) and min(numbers) <= value <= max(numbers)
    return value in others


def _values(trials: Sequence[TrialRow], gene: str) -> str:
    values = list(dict.fromkeys(trial.genes[gene] for trial in trials if gene in trial.genes))
    numbers = [value for value in values if isinstance(value, (int, float))]
    if numbers and len(numbers) == len(values):
        return str(Span(min(numbers), max(numbers)))
    shown = ", ".join(str(value) for value in values[:4])
    return f"{shown}, ..." if len(values) > 4 else shown


def _short(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:g}"
