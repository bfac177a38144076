"""Gate 3: is it faster, and how sure is that?

On the model device the samples of both sides stand in the same order, one per parameter set of the model,
and are compared set by set. What a measuring device says is compared in ``measured.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ascendopt.harness.evaluation import CaseResult

MARGIN = 0.03
CONFIDENCE = 0.95
PERCENTILES = (2.5, 97.5)
RATIO_DIGITS = 6


@dataclass(frozen=True)
class Gain:
    """Speed-up (original time / new time) with its interval; ``faster`` as DESIGN section 5 defines it.

    ``share`` is the part of the parameter sets (or bootstrap samples) in which the margin is cleared.
    """

    speedup: float
    interval: tuple[float, float]
    faster: bool
    share: float


def modelled_gain(
    base: Sequence[CaseResult],
    new: Sequence[CaseResult],
    weights: Mapping[str, float],
    margin: float = MARGIN,
) -> Gain:
    """Compare two sides case by case and set by set. Raises ValueError as ``modelled_ratios`` does."""
    speedup, ratios = modelled_ratios(base, new, weights)
    share = float(np.mean(ratios >= 1.0 + margin)) if ratios.size else 0.0
    return gain_of(speedup, ratios, share >= CONFIDENCE and speedup >= 1.0 + margin, share)


def modelled_ratios(
    base: Sequence[CaseResult], new: Sequence[CaseResult], weights: Mapping[str, float]
) -> tuple[float, NDArray[np.float64]]:
    """The speed-up at the centre of the model, and in each parameter set.

    What is known of the cost of a launch rests on a few published kernels, so what a side saves there by using fewer
    cores does not count. Every timed case of ``base`` must be timed in ``new`` with as many samples. Raises ValueError
    otherwise.
    """
    others = {case.name: case for case in new}
    centres: list[float] = []
    logs: list[NDArray[np.float64]] = []
    shares: list[float] = []
    for case in base:
        if case.latency_us is None:
            continue
        other = others.get(case.name)
        if other is None or other.latency_us is None or len(other.samples_us) != len(case.samples_us):
            raise ValueError(f"case {case.name} has no matching times on both sides")
        shares.append(weights[case.name])
        fewer = _left_out(case, other)
        saved = _saved_launch(case.launch_us, other.launch_us, fewer)
        centres.append(float(np.log(case.latency_us / (other.latency_us + saved))))
        times = np.asarray(other.samples_us)
        if len(case.launch_samples_us) == len(other.launch_samples_us) == times.size:
            times = times + _saved_launch(case.launch_samples_us, other.launch_samples_us, fewer)
        logs.append(np.log(np.asarray(case.samples_us) / times))
    if not shares:
        raise ValueError("no case was timed")
    weight = np.asarray(shares) / sum(shares)
    ratios: NDArray[np.float64] = np.exp(np.tensordot(weight, np.stack(logs), axes=1))
    return float(np.exp(np.dot(weight, centres))), ratios


def _left_out(base: CaseResult, new: CaseResult) -> float:
    """The share of the cores of ``base`` that ``new`` does without."""
    if not base.block_dim or new.block_dim is None:
        return 0.0
    return max(0.0, 1.0 - new.block_dim / base.block_dim)


def _saved_launch(base: ArrayLike, new: ArrayLike, fewer: float) -> NDArray[np.float64]:
    """What is saved in launch; of it at most what cores that are left out account for."""
    before = np.asarray(base, dtype=np.float64)
    saved: NDArray[np.float64] = before - np.asarray(new, dtype=np.float64)
    return np.maximum(0.0, np.minimum(saved, before * fewer))


def gain_of(speedup: float, ratios: NDArray[Any], faster: bool, share: float) -> Gain:
    """Round a speed-up, and the percentiles of its ``ratios`` as its interval."""
    low, high = np.percentile(ratios, PERCENTILES)
    interval = (round(float(low), RATIO_DIGITS), round(float(high), RATIO_DIGITS))
    return Gain(round(speedup, RATIO_DIGITS), interval, faster, share)


def geometric_mean(values: Sequence[float], weights: Sequence[float]) -> float:
    """Weighted geometric mean of positive values."""
    share = np.asarray(weights) / sum(weights)
    return float(np.exp(np.dot(share, np.log(values))))
