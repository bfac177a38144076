"""What an episode tells while it runs, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ascendopt.harness.budget import Budget
from ascendopt.harness.candidate import Candidate
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.workload import Case, Sampled, Workload


@dataclass(frozen=True)
class TrialEvent:
    """What a caller is told after each trial: times in microseconds, ``note`` is one line."""

    number: int
    attempts: int
    budget: int
    candidate: Candidate
    evaluation: Evaluation
    baseline_us: float
    best_us: float
    replayed: bool

    @property
    def note(self) -> str:
        """What was changed, or why it failed."""
        return self.candidate.note if self.evaluation.timed or self.evaluation.ok else self.evaluation.reason


@dataclass(frozen=True)
class EpisodeResult:
    """The outcome. ``candidate`` and ``patch`` are empty when nothing faster was found.

    ``files`` are the whole new texts of the files that the winner changes; ``ended`` says why the proposer stopped
    early; ``ended_by`` what ended the search: ``attempts``, ``seconds``, ``tokens``, ``ideas`` ...
    """

    operator: str
    device: str
    modelled: bool
    baseline: Evaluation
    best: Evaluation | None
    candidate: Candidate | None
    unseen: Evaluation | None
    patch: str
    budget: Budget
    seconds: float
    journal: Path
    ended: str = ""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    workload: Workload = field(default_factory=lambda: Workload(()))
    ended_by: str = ""
    workers: int = 1
    executor: str = "local"

    def _case_json(self, case: Case) -> dict[str, Any]:
        """Weight, times and verdict of one case; ``correct`` is the winner's, or the original's without one."""
        before = {result.name: result for result in self.baseline.cases}.get(case.name)
        after = {result.name: result for result in self.best.cases}.get(case.name) if self.best else before
        return {
            "name": case.name,
            "weight": case.weight,
            "baseline_us": before.latency_us if before else None,
            "best_us": after.latency_us if after else None,
            "correct": after.correct if after else None,
            "sampled": None if case.sampled is None else sampled_json(case.sampled),
        }

    @property
    def baseline_us(self) -> float:
        """Weighted geometric mean of the original's times."""
        return self.baseline.latency_us or 0.0

    @property
    def best_us(self) -> float:
        """The same of the winner, or of the original when there is none."""
        return (self.best.latency_us if self.best else None) or self.baseline_us

    def to_json(self) -> dict[str, Any]:
        """The contract of ``tune --json``."""
        interval = self.best.interval if self.best and self.best.interval else (1.0, 1.0)
        return {
            "operator": self.operator,
            "device": self.device,
            "modelled": self.modelled,
            "baseline_us": self.baseline_us,
            "best_us": self.best_us,
            "speedup": self.best.speedup if self.best and self.best.speedup else 1.0,
            "speedup_interval": list(interval),
            "cases": [self._case_json(case) for case in self.workload.cases],
            "attempts": self.budget.attempts,
            "valid": self.budget.valid,
            "free_rejections": self.budget.free_rejections,
            "seconds": round(self.seconds, 3),
            "ended_by": self.ended_by,
            "workers": self.workers,
            "executor": self.executor,
            "patch": self.patch,
            "journal": str(self.journal),
        }


def case_json(case: Case) -> dict[str, Any]:
    """A case as plain data; ``sampled`` only where it is a member of a case with ranges."""
    data: dict[str, Any] = {
        "name": case.name,
        "inputs": _specs(case.inputs),
        "outputs": _specs(case.outputs),
        "attrs": {key: list(v) if isinstance(v, tuple) else v for key, v in sorted(case.attrs.items())},
        "weight": case.weight,
        "correctness_only": case.correctness_only,
    }
    if case.sampled is not None:
        data["sampled"] = sampled_json(case.sampled)
    return data


def sampled_json(sampled: Sampled) -> dict[str, Any]:
    """``{"case", "ranges": {name: text}, "sizes": {name: size}}``."""
    return {"case": sampled.case, "ranges": dict(sampled.ranges), "sizes": dict(sampled.sizes)}


def _specs(specs: Sequence[Any]) -> list[dict[str, Any]]:
    return [
        {
            "name": spec.name,
            "dtype": spec.dtype,
            "shapes": [list(shape) for shape in spec.shapes],
            "is_list": spec.is_list,
            "distribution": spec.distribution,
        }
        for spec in specs
    ]
