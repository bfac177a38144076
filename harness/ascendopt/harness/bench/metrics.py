"""Figures over many operators, from their journals alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Any

from ascendopt.harness.report.model import EpisodeReport

LEVELS = (1.0, 1.2, 1.4, 1.8, 2.0)


@dataclass(frozen=True)
class MethodMetrics:
    """One method over ``n`` operators. ``fast`` maps p to the share of operators whose speed-up exceeds p (fast_p);
    ``curve`` is (attempt, geometric mean of the best so far), with the champion's re-measured value at the end."""

    n: int
    gm: float
    fast: Mapping[float, float]
    curve: tuple[tuple[int, float], ...]
    speedups: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        """The contract of metrics.json, one method."""
        shares = {f"fast_{str(level).replace('.', '_')}": round(share, 4) for level, share in self.fast.items()}
        return {
            "n": self.n,
            "gm": round(self.gm, 4),
            **shares,
            "curve": [[attempt, round(value, 4)] for attempt, value in self.curve],
            "speedups": {name: round(value, 4) for name, value in self.speedups.items()},
        }

    def with_unchanged(self, operators: Sequence[str]) -> MethodMetrics:
        """The same with operators that the method leaves as they are: speed-up 1."""
        total = self.n + len(operators)
        speedups = {**self.speedups, **dict.fromkeys(operators, 1.0)}
        return MethodMetrics(
            total,
            geometric_mean(list(speedups.values())),
            {level: share * self.n / total for level, share in self.fast.items()},
            tuple((attempt, value ** (self.n / total)) for attempt, value in self.curve),
            speedups,
        )


def metrics_of(reports: Mapping[str, EpisodeReport]) -> MethodMetrics:
    """Metrics of one method from the report of each operator. Needs at least one."""
    speedups = {name: report.speedup for name, report in reports.items()}
    budget = max(report.budget for report in reports.values())
    bests = [_best_by_attempt(report, budget) for report in reports.values()]
    curve = [(attempt, geometric_mean([best[attempt] for best in bests])) for attempt in range(budget + 1)]
    return MethodMetrics(
        len(reports),
        geometric_mean(list(speedups.values())),
        {level: sum(value > level for value in speedups.values()) / len(speedups) for level in LEVELS},
        (*curve[:-1], (budget, geometric_mean(list(speedups.values())))) if budget else (),
        speedups,
    )


def geometric_mean(values: Sequence[float]) -> float:
    """Of positive values."""
    return exp(sum(map(log, values)) / len(values))


def _best_by_attempt(report: EpisodeReport, budget: int) -> list[float]:
    bests = [1.0] * (budget + 1)
    for trial in report.trials:
        if trial.attempt is not None:
            bests[trial.attempt] = trial.best
    for attempt in range(1, budget + 1):
        bests[attempt] = max(bests[attempt], bests[attempt - 1])
    return bests
