"""Optuna's own samplers on the genes of the tiling search, with nothing of ours: what the tiling search has to beat.

Random search, and TPE with Optuna's defaults. They see the same space, the same gates and the same budget.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.search.base import Proposer, Trial
from ascendopt.harness.search.space import Genes, TilingSpace

if TYPE_CHECKING:
    import optuna

FAILED_SCORE = 0.0
# Repeats of a sampler, each told its known score, before the search counts as ended.
MOST_REPEATS = 200

NewSampler = Callable[[int], "optuna.samplers.BaseSampler"]


class OptunaSearch(Proposer):
    """Asks an Optuna sampler for every candidate. The score is the speed-up; failures score 0."""

    def __init__(self, space: TilingSpace, origin: str, sampler: NewSampler, rng: np.random.Generator) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._space = space
        self._origin = origin
        self._study = optuna.create_study(direction="maximize", sampler=sampler(int(rng.integers(2**31))))
        self._scores: dict[Genes, float] = {space.original: 1.0}
        self._asked: dict[str, tuple[Genes, optuna.Trial]] = {}

    def propose(self, history: Sequence[Trial]) -> list[Candidate]:
        for _ in range(MOST_REPEATS):
            trial = self._study.ask(self._space.distributions())
            genes = self._space.genes(trial.params)
            if genes not in self._scores:
                candidate = self._space.candidate(genes, self._origin)
                self._asked[candidate.key] = (genes, trial)
                return [candidate]
            self._study.tell(trial, self._scores[genes])
            if len(self._scores) >= self._space.size:
                break
        return []

    def observe(self, candidate: Candidate, evaluation: Evaluation) -> None:
        genes, trial = self._asked.pop(candidate.key)
        score = evaluation.speedup if evaluation.timed and evaluation.speedup else FAILED_SCORE
        self._scores[genes] = score
        self._study.tell(trial, score)

    def without_one(self, candidate: Candidate) -> list[Candidate]:
        return self._space.without_one(candidate)


def random_sampler(seed: int) -> optuna.samplers.BaseSampler:
    """Every combination with the same chance."""
    import optuna

    return optuna.samplers.RandomSampler(seed=seed)


def tpe_sampler(seed: int) -> optuna.samplers.BaseSampler:
    """Optuna's default."""
    import optuna

    return optuna.samplers.TPESampler(seed=seed)
