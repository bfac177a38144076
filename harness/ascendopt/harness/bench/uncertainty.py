"""How sure a mean over operators and seeds is: a two-stage bootstrap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DRAWS = 4000
PERCENTILES = (2.5, 97.5)

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Resampling:
    """Bootstrap draws over ``operators`` x ``seeds`` runs; ``weights`` (draws, operators, seeds) sum to 1 in
    each draw.

    Each draw takes operators with replacement, and for each that it takes, seeds with replacement. So the interval
    covers both what other operators and what other seeds would have given; it is rather too wide than too narrow.
    One set of draws serves everything that is compared, which pairs the methods run by run.
    """

    operators: int
    seeds: int
    weights: Matrix

    @staticmethod
    def drawn(operators: int, seeds: int, rng: np.random.Generator, draws: int = DRAWS) -> Resampling:
        """Draw once for a whole bench. Both counts are at least 1."""
        weights = np.zeros((draws, operators, seeds))
        rows = np.arange(draws)[:, np.newaxis]
        first = np.repeat(rng.integers(0, operators, (draws, operators)), seeds, axis=1)
        second = rng.integers(0, seeds, (draws, operators * seeds))
        np.add.at(weights, (rows, first, second), 1.0 / (operators * seeds))
        return Resampling(operators, seeds, weights)

    def geometric(self, logs: Matrix) -> Matrix:
        """Lower and upper end of the 95 % interval of a geometric mean.

        ``logs`` is (operators, seeds) or (operators, seeds, more): logarithms of positive values; the result is (2,)
        or (2, more).
        """
        ends: Matrix = np.exp(np.percentile(np.tensordot(self.weights, logs, axes=2), PERCENTILES, axis=0))
        return ends
