"""Runs every method on every operator with every seed; what is done already is read from its journal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ascendopt.harness.bench.methods import RunSpec, methods
from ascendopt.harness.bench.results import BenchPlan, BenchResult, run_folder, write_record, write_results
from ascendopt.harness.cancelling import CancelToken
from ascendopt.harness.devices.base import Device
from ascendopt.harness.episode import EpisodeError
from ascendopt.harness.episode_result import TrialEvent
from ascendopt.harness.executors.base import ExecutorFactory
from ascendopt.harness.executors.here import InProcess
from ascendopt.harness.gates.memory import EvaluationMemory, RememberedReference
from ascendopt.harness.journal.events import FILE_NAME, JournalError
from ascendopt.harness.refine.experience import Experience
from ascendopt.harness.report.model import EpisodeReport, read_report
from ascendopt.harness.target import Target, TargetError

MEMORY_FOLDER = "evaluations"

# Operator, method, seed and what came of it; None where the method has nothing to change.
OnRun = Callable[[str, str, int, EpisodeReport | None], None]


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
    executor: ExecutorFactory = InProcess,
) -> BenchResult:
    """Run the plan; writes its record, metrics.json and report.html below ``folder``. Raises Cancelled, JournalError.

    ``executor`` says where candidates are evaluated, and how many at a time: the figures are the same.
    A run that a kill or a cancel stopped is resumed. An operator that one method can't run is left out of all.
    """
    left_out: dict[str, str] = {}
    for target in targets:
        operator = target.sources.name
        if target.reference is not None:
            target = replace(target, reference=RememberedReference(target.reference))
        memory = EvaluationMemory(folder / MEMORY_FOLDER / f"{operator}.jsonl", plan.seeds[0])
        try:
            for name in plan.methods:
                for seed in plan.seeds:
                    run = RunSpec(target, device, run_folder(folder, name, operator, seed), plan.budget, seed)
                    report = _report(name, run, plan.margin, experience, memory, cancel, on_trial, executor)
                    if on_run is not None:
                        on_run(operator, name, seed, report)
        except EpisodeError as error:
            left_out[operator] = str(error)
    write_record(folder, plan, [target.sources.name for target in targets], left_out)
    return write_results(folder)


def _report(
    name: str,
    run: RunSpec,
    margin: float,
    experience: Experience,
    memory: EvaluationMemory,
    cancel: CancelToken | None,
    on_trial: Callable[[TrialEvent], None] | None,
    executor: ExecutorFactory,
) -> EpisodeReport | None:
    """The finished run; None when there is nothing to tune, so that the method leaves the operator as it is."""
    started = (run.folder / FILE_NAME).is_file()
    if started:
        report = read_report(run.folder)
        if report.complete and report.budget != run.budget:
            raise JournalError(
                f"{run.folder} holds a run of {report.budget} attempts, not {run.budget}; choose another --out."
            )
        if report.complete and report.margin != margin:
            held, asked = f"{report.margin * 100:g} %", f"{margin * 100:g} %"
            raise JournalError(f"{run.folder} holds a run with a margin of {held}, not {asked}; choose another --out.")
        if report.complete:
            return report
    try:
        episode = methods()[name].episode(run, experience).remember(memory).with_margin(margin)
        episode.run(resume=started, cancel=cancel, on_trial=on_trial, executor=executor)
    except TargetError:
        return None
    return read_report(run.folder)
