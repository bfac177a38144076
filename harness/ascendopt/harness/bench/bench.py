"""Runs every method on every operator; what is done already is read from its journal."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ascendopt.harness.bench.methods import RunSpec, methods
from ascendopt.harness.bench.metrics import MethodMetrics, metrics_of
from ascendopt.harness.bench.page import render_bench
from ascendopt.harness.devices.base import Device
from ascendopt.harness.episode import CancelToken, EpisodeError, TrialEvent
from ascendopt.harness.journal.events import FILE_NAME
from ascendopt.harness.refine.experience import Experience
from ascendopt.harness.report.model import EpisodeReport, read_report
from ascendopt.harness.target import Target, TargetError

METRICS_NAME = "metrics.json"
PAGE_NAME = "report.html"


@dataclass(frozen=True)
class BenchResult:
    """Metrics by method, and the operators that could not be run, with the reason."""

    metrics: Mapping[str, MethodMetrics]
    left_out: Mapping[str, str]


def bench(
    targets: Sequence[Target],
    device: Device,
    chosen: Sequence[str],
    budget: int,
    seed: int,
    experience: Experience,
    folder: Path,
    *,
    cancel: CancelToken | None = None,
    on_run: Callable[[str, str, EpisodeReport | None], None] | None = None,
    on_trial: Callable[[TrialEvent], None] | None = None,
) -> BenchResult:
    """Run ``chosen`` methods; writes metrics.json and report.html below ``folder``. Raises Cancelled, JournalError.

    A run that a kill or a cancel stopped is resumed. An operator that one method can't run is left out of all.
    """
    known = methods()
    reports: dict[str, dict[str, EpisodeReport]] = {name: {} for name in chosen}
    left_out: dict[str, str] = {}
    for target in targets:
        operator = target.sources.name
        for name in chosen:
            place = folder / name / operator
            run = RunSpec(target, device, place, budget, seed)
            try:
                if not _finished(place):
                    started = (place / FILE_NAME).is_file()
                    known[name](run, experience).run(resume=started, cancel=cancel, on_trial=on_trial)
            except TargetError:
                # Nothing to tune: the method leaves the operator as it is.
                if on_run is not None:
                    on_run(operator, name, None)
                continue
            except EpisodeError as error:
                left_out[operator] = str(error)
                break
            reports[name][operator] = read_report(place)
            if on_run is not None:
                on_run(operator, name, reports[name][operator])
    kept = [target.sources.name for target in targets if target.sources.name not in left_out]
    metrics = {name: _metrics(reports[name], kept) for name in chosen if kept and reports[name]}
    result = BenchResult(metrics, left_out)
    _write(folder, result, reports, budget, seed)
    return result


def _finished(place: Path) -> bool:
    return (place / FILE_NAME).is_file() and read_report(place).complete


def _metrics(reports: Mapping[str, EpisodeReport], operators: Sequence[str]) -> MethodMetrics:
    found = metrics_of({name: reports[name] for name in operators if name in reports})
    missing = [name for name in operators if name not in reports]
    return found.with_unchanged(missing) if missing else found


def _write(
    folder: Path,
    result: BenchResult,
    reports: Mapping[str, Mapping[str, EpisodeReport]],
    budget: int,
    seed: int,
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    content = {
        "budget": budget,
        "seed": seed,
        "methods": {name: metrics.to_json() for name, metrics in result.metrics.items()},
        "left_out": dict(result.left_out),
    }
    (folder / METRICS_NAME).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    some = next((report for runs in reports.values() for report in runs.values()), None)
    (folder / PAGE_NAME).write_text(render_bench(result.metrics, result.left_out, some, budget, seed), encoding="utf-8")
