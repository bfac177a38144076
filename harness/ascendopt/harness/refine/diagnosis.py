"""What holds an operator back: symptoms from facts, from the profile, and from rewrites that would apply."""

from __future__ import annotations

from collections.abc import Iterable

from ascendopt.analysis.chips import load_chip
from ascendopt.analysis.findings import Related
from ascendopt.analysis.symptoms import PipeProfile, Symptom, find_symptoms, ranked
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.structural.base import Change, OperatorView, StructuralOperator


def profile_of(evaluation: Evaluation, soc: str) -> PipeProfile | None:
    """The pipe profile of the case that takes longest; None when nothing was timed."""
    timed = [case for case in evaluation.cases if case.latency_us is not None]
    if not timed:
        return None
    longest = max(timed, key=lambda case: (case.latency_us or 0.0, case.name))
    cores = load_chip(soc).vector_cores
    idle = None if not cores or longest.block_dim is None else max(0.0, 1.0 - longest.block_dim / cores)
    return PipeProfile(longest.latency_us or 0.0, dict(longest.pipes_us), longest.bound, idle)


def diagnose(
    view: OperatorView,
    profile: PipeProfile | None,
    operators: Iterable[StructuralOperator],
) -> tuple[list[Symptom], dict[str, list[Change]]]:
    """Symptoms, heaviest first, and what each structural operator (by name) offers on ``view``.

    A symptom that only a rewrite can tell stands at the places where the rewrite applies.
    """
    found = {symptom.kind: symptom for symptom in find_symptoms(view.facts, load_chip(view.soc))}
    offers: dict[str, list[Change]] = {}
    for operator in operators:
        changes = list(operator.improvements(view))
        if not changes:
            continue
        offers[operator.name] = changes
        places = tuple(Related(change.place.path, change.place.span, change.title) for change in changes)
        if operator.symptom not in found:
            found[operator.symptom] = Symptom(operator.symptom, operator.pipe, changes[0].title, places)
    return ranked(found.values(), profile), offers
