"""The ask/tell interface of every search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.evaluation import Evaluation


@dataclass(frozen=True)
class Trial:
    """One evaluated candidate of an episode; ``number`` counts from 1, repeats and rejections included."""

    number: int
    candidate: Candidate
    evaluation: Evaluation


class Proposer(ABC):
    """Proposes candidates.

    Deterministic: its state depends on its seed and on what it observed, nothing else. ``ended`` says why it stopped
    before its ideas were used up (a model that does not answer); empty otherwise. ``ended_by`` is one word for it that
    journals keep: ``ideas`` (used up), ``tokens`` (spent), ``model`` (does not answer).
    """

    ended: str = ""
    ended_by: str = "ideas"

    def start(self, baseline: Evaluation) -> None:
        """Called once, before the first ``propose``, with the evaluation of the original."""
        return

    @abstractmethod
    def propose(self, history: Sequence[Trial]) -> list[Candidate]:
        """The next candidates, evaluated in order; an empty list ends the search."""

    @abstractmethod
    def observe(self, candidate: Candidate, evaluation: Evaluation) -> None:
        """What became of a candidate that this proposer proposed."""

    def without_one(self, candidate: Candidate) -> list[Candidate]:
        """``candidate``, which this proposer proposed, without one of its changes: one a change, in their order.

        Empty where they stand or fall together.
        """
        return []
