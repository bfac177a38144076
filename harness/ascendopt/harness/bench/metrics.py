"""Figures over many operators and seeds, from their journals alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.bench.uncertainty import Resampling
from ascendopt.harness.report.model import LEVELS, EpisodeReport

# Means of two methods on one operator that are nearer than this count as equal.
EQUAL = 1e-3

Interval = tuple[float, float]


@dataclass(frozen=True)
class MethodMetrics:
    """One method over ``n`` operators with ``seeds`` runs each.

    ``gm`` is the geometric mean speed-up over all runs, with its 95 % ``interval`` over operators and seeds. ``fast``
    maps p to the share of runs whose speed-up exceeds p (fast_p). ``curve`` is (attempt, geometric mean of the best so
    far), with the champion's re-measured value at the end; ``band`` has its interval by the same index. ``runs`` has
    the speed-up of each seed by operator, in the order of the operators.
    """

    n: int
    seeds: int
    gm: float
    interval: Interval
    fast: Mapping[float, float]
    curve: tuple[tuple[int, float], ...]
    band: tuple[Interval, ...]
    runs: Mapping[str, tuple[float, ...]]

    @property
    def speedups(self) -> Mapping[str, float]:
        """Geometric mean over the seeds by operator."""
        return {name: geometric_mean(values) for name, values in self.runs.items()}

    @property
    def logs(self) -> NDArray[np.float64]:
        """Logarithms of the speed-ups, (operators, seeds)."""
        return np.log(np.array(list(self.runs.values())))

    def to_json(self) -> dict[str, Any]:
        """The contract of metrics.json, one method."""
        shares = {f"fast_{str(level).replace('.', '_')}": round(share, 4) for level, share in self.fast.items()}
        return {
            "n": self.n,
            "seeds": self.seeds,
            "gm": round(self.gm, 4),
            "interval": _rounded(self.interval),
            **shares,
            "curve": [[attempt, round(value, 4)] for attempt, value in self.curve],
            "curve_interval": [_rounded(ends) for ends in self.band],
            "speedups": {name: round(value, 4) for name, value in self.speedups.items()},
            "runs": {name: [round(value, 4) for value in values] for name, values in self.runs.items()},
        }


@dataclass(frozen=True)
class Comparison:
    """``method`` against ``other``, run by run: the ratio of their geometric means with its 95 % interval.

    ``better``, ``equal`` and ``worse`` count operators by the geometric mean over their seeds.
    """

    method: str
    other: str
    ratio: float
    interval: Interval
    better: int
    equal: int
    worse: int

    @property
    def verdict(self) -> str:
        """What the interval says about ``method``: better, worse, or undecided."""
        low, high = self.interval
        return "better" if low > 1.0 else "worse" if high < 1.0 else "undecided"

    def to_json(self) -> dict[str, Any]:
        """One element of ``comparisons`` in metrics.json."""
        return {
            "method": self.method,
            "other": self.other,
            "ratio": round(self.ratio, 4),
            "interval": _rounded(self.interval),
            "verdict": self.verdict,
            "better": self.better,
            "equal": self.equal,
            "worse": self.worse,
        }


def metrics_of(
    reports: Mapping[str, Sequence[EpisodeReport]], budget: int, draws: Resampling, unchanged: Sequence[str] = ()
) -> MethodMetrics:
    """Metrics of one method from the reports of each operator, one a seed.

    ``unchanged`` are operators that the method leaves as they are: speed-up 1. Operators stand in the order of their
    names, so that the draws pair the same runs of every method.
    """
    names = sorted({*reports, *unchanged})
    best = np.ones((len(names), draws.seeds, budget + 1))
    for row, name in enumerate(names):
        for column, report in enumerate(reports.get(name, ())):
            best[row, column] = _best_by_attempt(report, budget)
    logs = np.log(best)
    means = np.exp(logs.mean(axis=(0, 1)))
    ends = draws.geometric(logs)
    final = best[:, :, -1]
    return MethodMetrics(
        len(names),
        draws.seeds,
        float(means[-1]),
        (float(ends[0, -1]), float(ends[1, -1])),
        {level: float(np.mean(final > level)) for level in LEVELS},
        tuple((attempt, float(value)) for attempt, value in enumerate(means)),
        tuple((float(ends[0, at]), float(ends[1, at])) for at in range(budget + 1)),
        {name: tuple(map(float, final[row])) for row, name in enumerate(names)},
    )


def comparisons(metrics: Mapping[str, MethodMetrics], draws: Resampling) -> tuple[Comparison, ...]:
    """Every pair of methods, in their order. All have the same operators and seeds."""
    return tuple(
        _compared((name, metrics[name]), (other, metrics[other]), draws) for name, other in combinations(metrics, 2)
    )


def _compared(method: tuple[str, MethodMetrics], other: tuple[str, MethodMetrics], draws: Resampling) -> Comparison:
    difference = method[1].logs - other[1].logs
    low, high = draws.geometric(difference)
    means = difference.mean(axis=1)
    return Comparison(
        method[0],
        other[0],
        float(np.exp(difference.mean())),
        (float(low), float(high)),
        int(np.sum(means > EQUAL)),
        int(np.sum(np.abs(means) <= EQUAL)),
        int(np.sum(means < -EQUAL)),
    )


def geometric_mean(values: Sequence[float]) -> float:
    """Of positive values."""
    return exp(sum(map(log, values)) / len(values))


def _rounded(interval: Interval) -> list[float]:
    return [round(end, 4) for end in interval]


def _best_by_attempt(report: EpisodeReport, budget: int) -> list[float]:
    """Best so far after each attempt, from 0 on; the last is the champion's, measured again."""
    bests = [1.0] * (budget + 1)
    for trial in report.trials:
        if trial.attempt is not None:
            bests[trial.attempt] = trial.best
    for attempt in range(1, budget + 1):
        bests[attempt] = max(bests[attempt], bests[attempt - 1])
    return [*bests[:-1], report.speedup]
