"""Best-of-N: independent samples of changes to the original, no feedback, no memory. The first baseline."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.operator_copy import OperatorSources
from ascendopt.harness.search.base import Proposer, Trial
from ascendopt.harness.search.tunables import apply_values, find_tunables
from ascendopt.harness.structural.base import Change
from ascendopt.harness.structural.combine import combined, disjoint, view_on
from ascendopt.harness.structural.registry import structural_operators

ORIGIN = "best-of-n"
MOST_CHANGES = 3
TRIES = 64


class BestOfN(Proposer):
    """Each sample makes one to three random changes: structural improvements of the original and new values of its
    tunables, drawn with equal chance. What the other methods may change, it may change too."""

    def __init__(self, sources: OperatorSources, soc: str, rng: np.random.Generator) -> None:
        self._sources = sources
        self._rng = rng
        self._view = view_on(sources, soc, {})
        self._changes: list[Change] = [
            change for operator in structural_operators() for change in operator.improvements(self._view)
        ]
        self._tunables = find_tunables(sources.texts)
        self._seen: set[str] = set()

    def propose(self, history: Sequence[Trial]) -> list[Candidate]:
        for _ in range(TRIES):
            candidate = self._sample()
            if candidate is not None and candidate.key not in self._seen:
                self._seen.add(candidate.key)
                return [candidate]
        return []

    def observe(self, candidate: Candidate, evaluation: Evaluation) -> None:
        return

    def _sample(self) -> Candidate | None:
        count = int(self._rng.integers(1, MOST_CHANGES + 1))
        total = len(self._changes) + len(self._tunables)
        if total == 0:
            return None
        picks = self._rng.permutation(total)[:count]
        changes = disjoint([self._changes[int(pick)] for pick in picks if pick < len(self._changes)])
        made = combined(self._view, changes, "") if changes else None
        texts = {**self._sources.texts, **(made.files if made else {})}
        # Values go into the changed text, where the number may have moved.
        known = {tunable.name: tunable for tunable in find_tunables(texts)}
        notes = [change.title for change in changes]
        values = {name: tunable.value for name, tunable in known.items()}
        for pick in picks:
            if pick < len(self._changes):
                continue
            tunable = known.get(self._tunables[int(pick) - len(self._changes)].name)
            if tunable is not None:
                values[tunable.name] = tunable.domain[int(self._rng.integers(len(tunable.domain)))]
                notes.append(f"{tunable.name} {tunable.value} -> {values[tunable.name]}")
        files = {**(made.files if made else {}), **apply_values(texts, list(known.values()), values)}
        return Candidate(files, ORIGIN, ", ".join(notes))
