"""Runs every method on every operator with every seed; what is done already is read from its journal."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ascendopt.harness.bench.methods import RunSpec, methods
from ascendopt.harness.bench.metrics import Comparison, MethodMetrics, comparisons, metrics_of
from ascendopt.harness.bench.page import render_bench
from ascendopt.harness.bench.uncertainty import Resampling
from ascendopt.harness.cancelling import CancelToken
from ascendopt.harness.devices.base import Device
from ascendopt.harness.episode import EpisodeError
from ascendopt.harness.episode_result import TrialEvent
from ascendopt.harness.journal.events import FILE_NAME, JournalError
from ascendopt.harness.refine.experience import Experience
from ascendopt.harness.report.model import EpisodeReport, read_report
from ascendopt.harness.target import Target, TargetError

METRICS_NAME = "metrics.json"
PAGE_NAME = "report.html"


@dataclass(frozen=True)
class BenchPlan:
    """What is compared: methods by name, attempts a run, and the seeds of the runs of each method and operator."""

    methods: tuple[str, ...]
    budget: int
    seeds: tuple[int, ...]


@dataclass(frozen=True)
class BenchResult:
    """Metrics by method, every pair of methods compared, and the operators that could not be run, with the reason."""

    metrics: Mapping[str, MethodMetrics]
    comparisons: tuple[Comparison, ...]
    left_out: Mapping[str, str]


# Operator, method, seed and what came of it; None where the method has nothing to change.
OnRun = Callable[[str, str, int, EpisodeReport | None], None]
# By method, then operator: one report a seed.
Reports = dict[str, dict[str, list[EpisodeReport]]]


def bench(
    targets: Sequence[Target],
    device: Device,
    plan: BenchPlan,
    experience: Experience,
    folder: Path,
    *,
    cancel: CancelToken | None = None,
    on_run: OnRun | None = None,
    on_trial: Callable[[TrialEvent], None] | None = None,
) -> BenchResult:
    """Run the plan; writes metrics.json and report.html below ``folder``. Raises Cancelled, JournalError.

    A run that a kill or a cancel stopped is resumed. An operator that one method can't run is left out of all.
    """
    reports: Reports = {name: {} for name in plan.methods}
    left_out: dict[str, str] = {}
    for target in targets:
        operator = target.sources.name
        try:
            for name in plan.methods:
                for seed in plan.seeds:
                    run = RunSpec(target, device, folder / name / operator / f"seed-{seed}", plan.budget, seed)
                    report = _report(name, run, experience, cancel, on_trial)
                    if report is not None:
                        reports[name].setdefault(operator, []).append(report)
                    if on_run is not None:
                        on_run(operator, name, seed, report)
        except EpisodeError as error:
            left_out[operator] = str(error)
    kept = [target.sources.name for target in targets if target.sources.name not in left_out]
    result = _result(reports, kept, left_out, plan)
    _write(folder, result, reports, plan)
    return result


def _report(
    name: str,
    run: RunSpec,
    experience: Experience,
    cancel: CancelToken | None,
    on_trial: Callable[[TrialEvent], None] | None,
) -> EpisodeReport | None:
    """The finished run; None when there is nothing to tune, so that the method leaves the operator as it is."""
    started = (run.folder / FILE_NAME).is_file()
    if started:
        report = read_report(run.folder)
        if report.complete and report.budget != run.budget:
            raise JournalError(
                f"{run.folder} holds a run of {report.budget} attempts, not {run.budget}; choose another --out."
            )
        if report.complete:
            return report
    try:
        methods()[name](run, experience).run(resume=started, cancel=cancel, on_trial=on_trial)
    except TargetError:
        return None
    return read_report(run.folder)


def _result(reports: Reports, kept: Sequence[str], left_out: Mapping[str, str], plan: BenchPlan) -> BenchResult:
    if not kept:
        return BenchResult({}, (), left_out)
    rng = np.random.Generator(np.random.PCG64(plan.seeds[0]))
    draws = Resampling.drawn(len(kept), len(plan.seeds), rng)
    metrics: dict[str, MethodMetrics] = {}
    for name in plan.methods:
        found = {operator: reports[name][operator] for operator in kept if operator in reports[name]}
        if found:
            missing = [operator for operator in kept if operator not in found]
            metrics[name] = metrics_of(found, plan.budget, draws, missing)
    return BenchResult(metrics, comparisons(metrics, draws), left_out)


def _write(folder: Path, result: BenchResult, reports: Reports, plan: BenchPlan) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    content = {
        "budget": plan.budget,
        "seed": plan.seeds[0],
        "seeds": list(plan.seeds),
        "methods": {name: metrics.to_json() for name, metrics in result.metrics.items()},
        "comparisons": [comparison.to_json() for comparison in result.comparisons],
        "left_out": dict(result.left_out),
    }
    (folder / METRICS_NAME).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    some = next((report for runs in reports.values() for group in runs.values() for report in group), None)
    page = render_bench(result.metrics, result.comparisons, result.left_out, some, plan.budget, plan.seeds)
    (folder / PAGE_NAME).write_text(page, encoding="utf-8")
