"""The results of a bench, made from its record and the journals of its runs alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ascendopt.harness.bench.metrics import Comparison, MethodMetrics, comparisons, metrics_of
from ascendopt.harness.bench.page import render_bench
from ascendopt.harness.bench.uncertainty import Resampling
from ascendopt.harness.gates.profile import MARGIN
from ascendopt.harness.journal.events import FILE_NAME, JournalError
from ascendopt.harness.report.model import EpisodeReport, read_report

RECORD_NAME = "bench.json"
METRICS_NAME = "metrics.json"
PAGE_NAME = "report.html"


@dataclass(frozen=True)
class BenchPlan:
    """What is compared: methods by name, attempts a run, the seeds of the runs of each method and operator.

    ``margin`` is the share by which a program must be faster to count.
    """

    methods: tuple[str, ...]
    budget: int
    seeds: tuple[int, ...]
    margin: float = MARGIN


@dataclass(frozen=True)
class BenchResult:
    """Metrics by method, every pair of methods compared, and the operators that could not be run, with the reason.

    ``runs`` are all runs of each method.
    """

    plan: BenchPlan
    metrics: Mapping[str, MethodMetrics]
    comparisons: tuple[Comparison, ...]
    left_out: Mapping[str, str]
    runs: Mapping[str, Sequence[EpisodeReport]]

    def page(self) -> str:
        """The report as HTML."""
        plan = self.plan
        return render_bench(self.metrics, self.comparisons, self.left_out, self.runs, plan.budget, plan.seeds)

    def to_json(self) -> dict[str, Any]:
        """The contract of metrics.json."""
        return {
            "budget": self.plan.budget,
            "seed": self.plan.seeds[0],
            "seeds": list(self.plan.seeds),
            "margin": self.plan.margin,
            "methods": {name: metrics.to_json() for name, metrics in self.metrics.items()},
            "comparisons": [comparison.to_json() for comparison in self.comparisons],
            "left_out": dict(self.left_out),
        }


def run_folder(folder: Path, method: str, operator: str, seed: int) -> Path:
    """Where one run has its journal."""
    return folder / method / operator / f"seed-{seed}"


def write_record(folder: Path, plan: BenchPlan, operators: Sequence[str], left_out: Mapping[str, str]) -> None:
    """Say what was run, once everything was: the runs themselves are in their journals."""
    content = {
        "methods": list(plan.methods),
        "budget": plan.budget,
        "seeds": list(plan.seeds),
        "margin": plan.margin,
        "operators": list(operators),
        "left_out": dict(left_out),
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RECORD_NAME).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def write_results(folder: Path) -> BenchResult:
    """Make metrics.json and report.html from the record and the journals below ``folder``. Raises JournalError."""
    result = read_results(folder)
    (folder / METRICS_NAME).write_text(json.dumps(result.to_json(), indent=1) + "\n", encoding="utf-8")
    (folder / PAGE_NAME).write_text(result.page(), encoding="utf-8")
    return result


def read_results(folder: Path) -> BenchResult:
    """The results of the finished bench in ``folder``. Raises JournalError."""
    path = folder / RECORD_NAME
    try:
        record: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        margin = float(record.get("margin", MARGIN))
        plan = BenchPlan(tuple(record["methods"]), int(record["budget"]), tuple(record["seeds"]), margin)
        operators = [name for name in record["operators"] if name not in record["left_out"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise JournalError(f"{path} can't be read: it is missing or damaged.") from error
    reports = {method: _reports(folder, method, operators, plan.seeds) for method in plan.methods}
    runs = {method: [report for group in found.values() for report in group] for method, found in reports.items()}
    if not operators:
        return BenchResult(plan, {}, (), record["left_out"], runs)
    draws = Resampling.drawn(
        len(operators), len(plan.seeds), np.random.Generator(np.random.PCG64(min(plan.seeds, default=0)))
    )
    metrics = {
        method: metrics_of(found, plan.budget, draws, [name for name in operators if name not in found])
        for method, found in reports.items()
        if found
    }
    return BenchResult(plan, metrics, comparisons(metrics, draws), record["left_out"], runs)


def _reports(
    folder: Path, method: str, operators: Sequence[str], seeds: Sequence[int]
) -> dict[str, list[EpisodeReport]]:
    """The runs of one method by operator; an operator that has none is one that the method leaves as it is."""
    found: dict[str, list[EpisodeReport]] = {}
    for operator in operators:
        folders = [run_folder(folder, method, operator, seed) for seed in seeds]
        if any((place / FILE_NAME).is_file() for place in folders):
            found[operator] = [read_report(place) for place in folders]
    return found
