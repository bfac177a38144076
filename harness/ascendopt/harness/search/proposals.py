"""Points that Optuna's TPE would try, told everything that the tiling search saw."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import TYPE_CHECKING

from ascendopt.harness.search.space import Genes, TilingSpace

if TYPE_CHECKING:
    import optuna

FAILED_SCORE = 0.0


class TpeProposals:
    """A study that is asked only when a space is too large to be looked at whole."""

    def __init__(self, space: TilingSpace, seed: int) -> None:
        self._space = space
        self._seed = seed
        self._waiting: list[tuple[Genes, float]] = []
        self._study: optuna.Study | None = None

    def tell(self, genes: Genes, gain: float | None) -> None:
        """A point and the logarithm of its speed-up; None: it failed."""
        self._waiting.append((genes, FAILED_SCORE if gain is None else exp(gain)))

    def ask(self, count: int, base: Genes, active: Sequence[int]) -> list[Genes]:
        """``count`` points, with the genes of ``base`` where a tunable is not ``active``."""
        from optuna.trial import TrialState, create_trial

        study = self._study = self._study or _new_study(self._seed)
        distributions = self._space.distributions()
        for genes, score in self._waiting:
            study.add_trial(create_trial(params=self._space.params(genes), distributions=distributions, value=score))
        self._waiting.clear()
        found: list[Genes] = []
        for _ in range(count):
            trial = study.ask(distributions)
            genes = self._space.genes(trial.params)
            study.tell(trial, state=TrialState.FAIL)
            found.append(tuple(genes[at] if at in active else base[at] for at in range(len(base))))
        return found


def _new_study(seed: int) -> optuna.Study:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
