"""How much each symptom may cost: the share of the time that is at stake, from the times of the pipes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ascendopt.analysis.symptoms.model import PipeProfile, Symptom, SymptomKind

_WAITING = frozenset({SymptomKind.SINGLE_BUFFER, SymptomKind.WIDE_BARRIER, SymptomKind.SMALL_TILE})
_COPIES = frozenset({SymptomKind.SMALL_BURST})
_SCALAR = frozenset({SymptomKind.SCALAR_LOOP})
# Without a profile, or where it says nothing: what usually pays first.
_PRIOR = {
    SymptomKind.SCALAR_LOOP: 0.9,
    SymptomKind.SINGLE_BUFFER: 0.7,
    SymptomKind.SMALL_BURST: 0.6,
    SymptomKind.FEW_CORES: 0.5,
    SymptomKind.SMALL_TILE: 0.5,
    SymptomKind.UNEVEN_SPLIT: 0.4,
    SymptomKind.WIDE_BARRIER: 0.4,
    SymptomKind.SLOW_VECTOR_OP: 0.3,
    SymptomKind.LOOP_INVARIANT: 0.3,
    SymptomKind.EXTRA_COPY: 0.25,
    SymptomKind.EXTRA_FILL: 0.2,
}


def weight(kind: SymptomKind, profile: PipeProfile | None) -> float:
    """Share of the time at stake, 0 to 1.

    Symptoms that make pipes wait for each other can win at most what lies between the longest pipe and the whole;
    those of one pipe at most that pipe's share, scaled by how often the cause is all of it.
    """
    prior = _PRIOR[kind]
    if profile is None or profile.latency_us <= 0:
        return prior
    times = profile.pipes_us
    longest = max(times.values(), default=0.0)

    def share(*pipes: str) -> float:
        return min(1.0, sum(times.get(pipe, 0.0) for pipe in pipes) / profile.latency_us)

    if kind in _WAITING:
        return max(0.0, 1.0 - longest / profile.latency_us)
    if kind in _COPIES:
        return prior * share("mte2", "mte3")
    if kind in _SCALAR:
        return prior * max(share("scalar"), share("vector"))
    if kind is SymptomKind.FEW_CORES:
        return prior if profile.idle_cores is None else profile.idle_cores
    if kind is SymptomKind.UNEVEN_SPLIT:
        return prior
    return prior * share("vector")


def ranked(symptoms: Iterable[Symptom], profile: PipeProfile | None) -> list[Symptom]:
    """The symptoms with their weights, heaviest first; equal ones in the order of their kinds' names."""
    weighed = [replace(symptom, weight=round(weight(symptom.kind, profile), 6)) for symptom in symptoms]
    return sorted(weighed, key=lambda one: (-one.weight, one.kind.value))
