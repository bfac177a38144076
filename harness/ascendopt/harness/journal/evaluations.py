"""Evaluations that a journal remembers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.journal.journal import Journal


def recorded(
    journal: Journal, kind: str, decision: Mapping[str, Any], evaluate: Callable[[], Evaluation]
) -> Evaluation:
    """The evaluation of one step: from the journal if it stands there, else computed, written and its cost noted.

    Raises JournalError when the recorded event is about another decision.
    """
    fresh: list[Evaluation] = []

    def outcome() -> dict[str, Any]:
        fresh.append(evaluate())
        return {"evaluation": fresh[0].to_json()}

    event = journal.step(kind, decision, outcome)
    if fresh:
        journal.seconds(fresh[0].seconds)
    return Evaluation.from_json(event["evaluation"])
