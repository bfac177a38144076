"""Where refinement gets its ideas from, given a symptom: a frozen bank, or nothing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from ascendopt.analysis.symptoms import Symptom
from ascendopt.bank.motif import Motif
from ascendopt.bank.retrieval import Query, retrieve
from ascendopt.bank.store import BankStore


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


class BankExperience(Experience):
    """A bank as it was when it was opened, and nothing that an operator taught when it is that operator itself unless
    ``own`` says so."""

    def __init__(self, store: BankStore, *, limit: int = 5, own: bool = True) -> None:
        self._store = store
        self._limit = limit
        self._own = own

    @property
    def identity(self) -> str:
        digest = self._store.digest()[:16]
        return f"bank {digest}" if self._own else f"bank {digest} without its own"

    def motifs(self, symptom: Symptom, situation: Situation) -> Sequence[Motif]:
        query = Query(symptom.text, symptom.kind, situation.soc, situation.dtypes)
        found = (hit.motif for hit in retrieve(self._store, query, self._limit))
        return [motif for motif in found if self._own or motif.provenance.source != situation.source]
