"""The jobs that a worker does. This module, and no other of the server, imports the harness."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ascendopt.harness.devices.base import BuildOptions, Device, DeviceFailure
from ascendopt.harness.episode import Cancelled, CancelToken, EpisodeError, TrialEvent
from ascendopt.harness.evaluation import State
from ascendopt.harness.operator_copy import OperatorError, OperatorSources, Scratch
from ascendopt.harness.target import Target, TargetError, open_device, open_target
from ascendopt.harness.tiling import tiling_episode
from ascendopt.harness.workload import Case
from ascendopt.harness.workload_file import WorkloadFileError
from ascendopt.server.worker import Channel, Job

DEVICE = "model"

# What the user can mend: shown as they are. Anything else is a defect and goes to the log with its traceback.
_USER_ERRORS = (OperatorError, WorkloadFileError, TargetError, EpisodeError, DeviceFailure, ValueError, OSError)

# The client knows fewer states than the gates have.
_STATES = {
    State.OK: "ok",
    State.STATIC: "violation",
    State.COMPILE: "compile",
    State.INCORRECT: "incorrect",
    State.VIOLATION: "violation",
    State.TIMEOUT: "timeout",
    State.FAILED: "violation",
}


def run_job(job: Job, channel: Channel, stop: threading.Event) -> None:
    """Do `job`, report to `channel`, and end early once `stop` is set."""
    jobs = {"active-case": _active_case, "tiling-search": _tiling_search}
    try:
        target = _target(job)
        device = open_device(DEVICE, target.soc)
        try:
            jobs[job.kind](job, target, device, channel, stop)
        finally:
            device.close()
    except Cancelled:
        channel.send("cancelled")
    except _USER_ERRORS as error:
        channel.send("failed", reason=str(error))


def _target(job: Job) -> Target:
    """The operator with the editor's unsaved texts in place of the disk's."""
    target = open_target(job.operator, job.soc or None)
    known = {path: text for path, text in job.overlay.items() if path in target.sources.texts}
    sources = OperatorSources(target.sources.root, target.sources.target, {**target.sources.texts, **known})
    return replace(target, sources=sources)


def _active_case(job: Job, target: Target, device: Device, channel: Channel, stop: threading.Event) -> None:
    """Run the host tiling for the first case that is timed, else the first one."""
    if not target.workload.cases:
        channel.send("done", case=None)
        return
    case = first_case(target.workload.cases)
    with Scratch(target.sources) as scratch:
        built = device.build(scratch.materialise(None), BuildOptions(target.soc))
        active = built.active_case(case, target.soc)
    if stop.is_set():
        raise Cancelled
    channel.send(
        "done",
        case={
            "name": active.name,
            "soc": active.soc,
            "tiling": dict(active.tiling),
            "dtypes": dict(active.dtypes),
            "block_dim": active.block_dim,
            "tiling_key": active.tiling_key,
        },
    )


def first_case(cases: tuple[Case, ...]) -> Case:
    """The case that the editor shows: the first that counts for speed."""
    return next((case for case in cases if not case.correctness_only), cases[0])


def _tiling_search(job: Job, target: Target, device: Device, channel: Channel, stop: threading.Event) -> None:
    """Search, one `trial` event a try; the result carries the whole texts of the changed files."""
    token = CancelToken()
    threading.Thread(target=_cancel_on, args=(stop, token), daemon=True).start()
    job.folder.mkdir(parents=True, exist_ok=True)
    episode = tiling_episode(target, device, job.folder, job.budget, job.seed)
    attempts = 0

    def tell(event: TrialEvent) -> None:
        # No-ops, repeats and free rejections are no attempts: there is nothing to draw.
        nonlocal attempts
        if event.attempts > attempts:
            attempts = event.attempts
            channel.send("trial", **_trial(event))

    result = episode.run(
        cancel=token,
        on_trial=tell,
        on_phase=lambda phase: channel.send("phase", phase=phase),
    )
    channel.send("done", result=_plain(result.to_json()), files=dict(result.files))


def _cancel_on(stop: threading.Event, token: CancelToken) -> None:
    stop.wait()
    token.cancel()


def _trial(event: TrialEvent) -> dict[str, Any]:
    return {
        "attempt": event.attempts,
        "latency_us": event.evaluation.latency_us if event.evaluation.ok else None,
        "best_us": event.best_us,
        "baseline_us": event.baseline_us,
        "state": _STATES[event.evaluation.state],
        "note": event.note,
    }


def _plain(value: Mapping[str, Any]) -> dict[str, Any]:
    """`value` without paths objects, for JSON."""
    return {key: str(item) if isinstance(item, Path) else item for key, item in value.items()}
