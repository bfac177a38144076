"""Where refinement gets its ideas from, given a symptom: a frozen bank, or nothing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from ascendopt.analysis.symptoms import Symptom
from ascendopt.bank.motif import Motif
from ascendopt.harness.operator_copy import text_digest


@dataclass(frozen=True)
class Situation:
    """What retrieval may know of the operator at hand; never its name."""

    soc: str
    dtypes: tuple[str, ...]
    source: str
    """Provenance of the operator itself, so that its own experience can be left out."""


class Experience(ABC):
    """Motifs for a symptom. Frozen: it does not change while an episode runs."""

    @property
    @abstractmethod
    def identity(self) -> str:
        """Equal identities give equal answers; part of a journal's header."""

    @abstractmethod
    def motifs(self, symptom: Symptom, situation: Situation) -> Sequence[Motif]:
        """The motifs to try, best first."""


class NoExperience(Experience):
    """The ablation: nothing is known."""

    @property
    def identity(self) -> str:
        return "none"

    def motifs(self, symptom: Symptom, situation: Situation) -> Sequence[Motif]:
        return ()


class FrozenMotifs(Experience):
    """A list of motifs in memory, in an order of merit that retrieval gave for each symptom kind."""

    def __init__(self, motifs: Sequence[Motif]) -> None:
        self._motifs = tuple(sorted(motifs, key=lambda motif: (-motif.gain, motif.id)))

    @property
    def identity(self) -> str:
        return text_digest("\n".join(motif.id for motif in self._motifs))

    def motifs(self, symptom: Symptom, situation: Situation) -> Sequence[Motif]:
        return [motif for motif in self._motifs if motif.symptom is symptom.kind]
