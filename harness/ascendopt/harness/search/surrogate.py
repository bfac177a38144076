"""What is known so far of a tiling space, as a Gaussian process over its genes: which point to try next.

Sixty attempts are too few for density estimates over four to six numbers, and enough for a smooth model of them. The
inputs are genes scaled to [0, 1] along each tunable; domains step by ratios, so that is a logarithm. The output is the
logarithm of the speed-up. Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), chapter 2; expected
improvement: Jones, Schonlau and Welch (1998).
"""

# numpy's linear algebra says too little of its types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportReturnType=false, reportAssignmentType=false

from __future__ import annotations

from math import erf

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

LENGTHS = (0.15, 0.3, 0.6, 1.2, 4.0)
NOISE = 1e-4
ROUNDS = 2


class Surrogate:
    """Fitted to ``points`` (n x d, in [0, 1]) and ``values`` (n).

    Each dimension has a length scale of its own, chosen by marginal likelihood, one dimension after the other.
    """

    def __init__(self, points: Matrix, values: Matrix) -> None:
        self._points: Matrix = points
        self._mean = float(np.mean(values))
        spread = float(np.std(values))
        self._scale = spread if spread > 1e-9 else 1.0
        self._values: Matrix = (values - self._mean) / self._scale
        self._lengths: Matrix = self._fitted()
        self._chol: Matrix = self._factor(self._lengths)
        self._weights: Matrix = np.linalg.solve(self._chol.T, np.linalg.solve(self._chol, self._values))

    def predict(self, points: Matrix) -> tuple[Matrix, Matrix]:
        """Mean and standard deviation at ``points`` (m x d), in the units of the values."""
        cross = _kernel(points, self._points, self._lengths)
        mean: Matrix = cross @ self._weights
        inner: Matrix = np.linalg.solve(self._chol, cross.T)
        variance: Matrix = np.maximum(1.0 + NOISE - np.sum(inner**2, axis=0), 1e-12)
        return self._mean + self._scale * mean, self._scale * np.sqrt(variance)

    def expected_improvement(self, points: Matrix, best: float) -> Matrix:
        """By how much each of ``points`` is expected to exceed ``best``."""
        mean, deviation = self.predict(points)
        z: Matrix = (mean - best) / deviation
        density: Matrix = np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi)
        share: Matrix = 0.5 * (1.0 + np.vectorize(erf, otypes=[np.float64])(z / np.sqrt(2.0)))
        return deviation * (z * share + density)

    def _fitted(self) -> Matrix:
        lengths: Matrix = np.full(self._points.shape[1], 0.6)
        best = self._likelihood(lengths)
        for _ in range(ROUNDS):
            for dimension in range(lengths.size):
                for length in LENGTHS:
                    trial: Matrix = lengths.copy()
                    trial[dimension] = length
                    likelihood = self._likelihood(trial)
                    if likelihood > best:
                        best, lengths = likelihood, trial
        return lengths

    def _likelihood(self, lengths: Matrix) -> float:
        chol = self._factor(lengths)
        inner: Matrix = np.linalg.solve(chol, self._values)
        return float(-0.5 * inner @ inner - np.sum(np.log(np.diag(chol))))

    def _factor(self, lengths: Matrix) -> Matrix:
        covariance = _kernel(self._points, self._points, lengths)
        return np.linalg.cholesky(covariance + NOISE * np.eye(len(self._points)))


def _kernel(first: Matrix, second: Matrix, lengths: Matrix) -> Matrix:
    """Matern 5/2: times have kinks where a limit is reached, so nothing smoother."""
    difference: Matrix = (first[:, None, :] - second[None, :, :]) / lengths
    distance: Matrix = np.sqrt(5.0 * np.sum(difference**2, axis=2))
    return (1.0 + distance + distance**2 / 3.0) * np.exp(-distance)
