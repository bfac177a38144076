"""The tiling search: values of tunables, sampled by TPE and by steps around the best so far.

A sweep of one tunable at a time comes first (it costs little and tells which numbers matter), then every
other candidate is a local step from the best and the rest come from Optuna's TPE sampler.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.search.base import Proposer, Trial
from ascendopt.harness.search.space import Genes, TilingSpace
from ascendopt.harness.search.tunables import Tunable

if TYPE_CHECKING:
    import optuna

ORIGIN = "tiling-search"
STARTUP_TRIALS = 12
TRIES = 64
FAILED_SCORE = 0.0


class TilingSearch(Proposer):
    """Proposes one candidate at a time over ``tunables`` of ``texts``; never the same values twice.

    ``rng`` seeds everything. The score of a candidate is its speed-up; failures score 0.
    """

    def __init__(self, texts: Mapping[str, str], tunables: Sequence[Tunable], rng: np.random.Generator) -> None:
        self._space = TilingSpace(texts, tunables)
        self._rng = rng
        self._original = self._space.original
        self._seen: set[Genes] = {self._original}
        self._scores: dict[Genes, float] = {self._original: 1.0}
        self._asked: dict[str, tuple[Genes, int | None]] = {}
        self._best = self._original
        self._sweep = self._sweep_order()
        self._turn = 0
        self._study = _new_study(int(rng.integers(2**31)))
        self._tell(self._original, 1.0)

    def propose(self, history: Sequence[Trial]) -> list[Candidate]:
        """One candidate, or none when every combination was proposed."""
        if len(self._seen) >= self._space.size:
            return []
        genes, number = self._next()
        self._seen.add(genes)
        candidate = self._space.candidate(genes, ORIGIN)
        self._asked[candidate.key] = (genes, number)
        return [candidate]

    def observe(self, candidate: Candidate, evaluation: Evaluation) -> None:
        """Learn the score of a proposed candidate."""
        genes, number = self._asked.pop(candidate.key)
        score = evaluation.speedup if evaluation.ok and evaluation.speedup else FAILED_SCORE
        self._scores[genes] = score
        if score > self._scores[self._best]:
            self._best = genes
        if number is not None:
            self._study.tell(number, score)
        else:
            self._tell(genes, score)

    def _sweep_order(self) -> list[Genes]:
        """Single changes: neighbours of the original, then values half-way and at the ends of each domain."""
        order: list[Genes] = []
        for ring in range(3):
            for position, size in enumerate(self._space.sizes):
                here, last = self._original[position], size - 1
                targets = {0: (here + 1, here - 1), 1: ((here + last) // 2, here // 2), 2: (last, 0)}[ring]
                for target in targets:
                    if 0 <= target <= last:
                        order.append((*self._original[:position], target, *self._original[position + 1 :]))
        return list(dict.fromkeys(order))[: 2 * STARTUP_TRIALS]

    def _next(self) -> tuple[Genes, int | None]:
        while self._sweep:
            genes = self._sweep.pop(0)
            if genes not in self._seen:
                return genes, None
        self._turn += 1
        if self._turn % 2:
            for _ in range(TRIES):
                genes = self._step(self._best)
                if genes not in self._seen:
                    return genes, None
        return self._sampled()

    def _step(self, base: Genes) -> Genes:
        """One or two tunables moved by a few places; sometimes combined with another good candidate."""
        genes = list(base)
        if self._rng.random() < 0.3:
            good = sorted(self._scores, key=lambda g: (-self._scores[g], g))[:5]
            other = good[int(self._rng.integers(len(good)))]
            picks = self._rng.random(len(genes)) < 0.5
            genes = [o if pick else g for g, o, pick in zip(genes, other, picks, strict=True)]
        for _ in range(int(self._rng.integers(1, 3))):
            position = int(self._rng.integers(len(genes)))
            last = self._space.sizes[position] - 1
            reach = 1 + int(self._rng.geometric(0.5))
            move = int(self._rng.integers(-reach, reach + 1))
            genes[position] = min(max(genes[position] + move, 0), last)
        return tuple(genes)

    def _sampled(self) -> tuple[Genes, int | None]:
        """A new point of TPE; if it keeps repeating itself, the first of a random order that is new."""
        for _ in range(TRIES // 4):
            trial = self._study.ask(self._space.distributions())
            genes = self._space.genes(trial.params)
            if genes not in self._seen:
                return genes, trial.number
            self._study.tell(trial, self._scores.get(genes, FAILED_SCORE))
        while True:
            genes = tuple(int(self._rng.integers(size)) for size in self._space.sizes)
            if genes not in self._seen:
                return genes, None
            if len(self._seen) * 4 > self._space.size:
                return self._first_unseen(), None

    def _first_unseen(self) -> Genes:
        """Walk a small, nearly exhausted space from a random start."""
        start = int(self._rng.integers(self._space.size))
        for step in range(self._space.size):
            rest = (start + step) % self._space.size
            genes: list[int] = []
            for size in self._space.sizes:
                rest, index = divmod(rest, size)
                genes.append(index)
            if tuple(genes) not in self._seen:
                return tuple(genes)
        raise AssertionError("propose() asks only while something is unseen")

    def _tell(self, genes: Genes, score: float) -> None:
        from optuna.trial import create_trial

        trial = create_trial(params=self._space.params(genes), distributions=self._space.distributions(), value=score)
        self._study.add_trial(trial)


def _new_study(seed: int) -> optuna.Study:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=STARTUP_TRIALS, multivariate=False)
    return optuna.create_study(direction="maximize", sampler=sampler)
