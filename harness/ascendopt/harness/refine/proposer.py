"""Stage I: refines a kernel by the experience that its symptoms call for. The best so far is the next base."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from ascendopt.analysis.symptoms import PipeProfile, Symptom
from ascendopt.bank.motif import Motif
from ascendopt.harness.candidate import Candidate
from ascendopt.harness.evaluation import Evaluation, State
from ascendopt.harness.operator_copy import OperatorSources
from ascendopt.harness.refine.by_pattern import pattern_changes
from ascendopt.harness.refine.diagnosis import diagnose, profile_of
from ascendopt.harness.refine.experience import Experience, NoExperience, Situation
from ascendopt.harness.search.base import Proposer, Trial
from ascendopt.harness.structural.base import Change, OperatorView, StructuralOperator
from ascendopt.harness.structural.combine import combined, disjoint, view_on

STEP = 1.002
"""A candidate becomes the next base when it is faster than the base by this factor: ties keep the smaller change."""


class RefineProposer(Proposer):
    """Proposes rewrites of the base: those that retrieved motifs name first, then what else applies.

    For each symptom, heaviest first: the motifs that ``experience`` gives for it, each at all its places at once and
    then place by place; afterwards the structural operators that no motif named. Without experience the operators
    come in an order that ``rng`` draws. Nothing is proposed twice on the same base.
    """

    def __init__(
        self,
        sources: OperatorSources,
        soc: str,
        dtypes: tuple[str, ...],
        operators: Iterable[StructuralOperator],
        experience: Experience,
        rng: np.random.Generator,
    ) -> None:
        self._sources = sources
        self._soc = soc
        self._operators = list(operators)
        self._names = {operator.name for operator in self._operators}
        self._experience = experience
        self._situation = Situation(soc, dtypes, sources.name)
        self._rng = rng
        self._base: dict[str, str] = {}
        self._base_note = ""
        self._best = 1.0
        self._profile: PipeProfile | None = None
        self._seen: set[str] = set()
        self._pending: Iterator[Candidate] | None = None

    @property
    def base_files(self) -> Mapping[str, str]:
        """The texts that the best candidate so far changes; empty: the original."""
        return dict(self._base)

    def start(self, baseline: Evaluation) -> None:
        self._profile = profile_of(baseline, self._soc)

    def propose(self, history: Sequence[Trial]) -> list[Candidate]:
        if self._pending is None:
            self._pending = self._ideas()
        for candidate in self._pending:
            if candidate.key not in self._seen:
                self._seen.add(candidate.key)
                return [candidate]
        return []

    def observe(self, candidate: Candidate, evaluation: Evaluation) -> None:
        if evaluation.state is not State.OK or evaluation.speedup is None:
            return
        if evaluation.speedup > self._best * STEP:
            self._best = evaluation.speedup
            self._base = dict(candidate.files)
            self._base_note = candidate.note
            self._profile = profile_of(evaluation, self._soc)
            self._pending = None

    def _ideas(self) -> Iterator[Candidate]:
        view = view_on(self._sources, self._soc, self._base)
        symptoms, offers = diagnose(view, self._profile, self._operators)
        used: set[str] = set()
        for symptom in symptoms:
            for motif in self._experience.motifs(symptom, self._situation):
                yield from self._from_motif(view, symptom, motif, offers)
                used.add(motif.rewrite.operator)
        names = [name for name in offers if name not in used]
        if isinstance(self._experience, NoExperience):
            names = [names[int(index)] for index in self._rng.permutation(len(names))]
        for name in names:
            yield from self._everywhere(view, offers[name], "")

    def _from_motif(
        self, view: OperatorView, symptom: Symptom, motif: Motif, offers: Mapping[str, list[Change]]
    ) -> Iterator[Candidate]:
        """Where the motif's structural operator applies, first in the form that the motif shows; else its patterns."""
        why = f" (motif {motif.id[:8]}, {symptom.kind.value})"
        if motif.rewrite.operator not in self._names:
            yield from self._everywhere(view, pattern_changes(view, motif), why)
            return
        offered = offers.get(motif.rewrite.operator, [])
        shown = (motif.rewrite.before, motif.rewrite.after)
        yield from self._everywhere(view, [one for one in offered if (one.before, one.after) == shown], why)
        yield from self._everywhere(view, offered, why)

    def _everywhere(self, view: OperatorView, changes: Sequence[Change], why: str) -> Iterator[Candidate]:
        """All changes of one kind in one candidate, then each alone."""
        if not changes:
            return
        together = disjoint(changes)
        if len(together) > 1:
            yield self._candidate(view, together, why)
        for change in changes:
            yield self._candidate(view, [change], why)

    def _candidate(self, view: OperatorView, changes: Sequence[Change], why: str) -> Candidate:
        first = changes[0]
        title = first.title if len(changes) == 1 else f"{first.operator} at {len(changes)} places"
        note = f"{self._base_note}; {title}{why}" if self._base_note else f"{title}{why}"
        made = combined(view, changes, note)
        return Candidate({**self._base, **made.files}, made.origin, note, made.genes)
