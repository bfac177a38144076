"""A search: tiling, refinement of the kernel, or both."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ascendopt.bank.opening import open_bank
from ascendopt.harness.devices.base import Device
from ascendopt.harness.episode import Episode
from ascendopt.harness.episode_result import TrialEvent
from ascendopt.harness.evaluation import State
from ascendopt.harness.refine.episodes import optimize_episode, refine_episode
from ascendopt.harness.refine.experience import BankExperience
from ascendopt.harness.target import Target
from ascendopt.harness.tiling import tiling_episode
from ascendopt.server.jobs.orders import Orders
from ascendopt.server.jobs.target import bank_folder
from ascendopt.server.worker import Channel, Job

# The client knows fewer states than the gates have.
_STATES = {
    State.OK: "ok",
    State.SLOWER: "ok",
    State.STATIC: "violation",
    State.COMPILE: "compile",
    State.INCORRECT: "incorrect",
    State.VIOLATION: "violation",
    State.TIMEOUT: "timeout",
    State.FAILED: "failed",
}


def search(job: Job, target: Target, device: Device, channel: Channel, orders: Orders) -> None:
    """Search, one `trial` event a try; the result carries the whole texts of the changed files."""
    job.folder.mkdir(parents=True, exist_ok=True)
    attempts = 0

    def tell(event: TrialEvent) -> None:
        # No-ops, repeats and free rejections are no attempts: there is nothing to draw.
        nonlocal attempts
        if event.attempts > attempts:
            attempts = event.attempts
            channel.send("trial", **_trial(event))

    result = _episode(job, target, device).run(
        cancel=orders.token,
        on_trial=tell,
        on_phase=lambda phase: channel.send("phase", phase=phase),
    )
    channel.send("done", result=_plain(result.to_json()), files=dict(result.files))


def _episode(job: Job, target: Target, device: Device) -> Episode:
    if job.method == "tiling":
        return tiling_episode(target, device, job.folder, job.budget, job.seed)
    # Frozen: what is learnt meanwhile does not change a run.
    experience = BankExperience(open_bank(bank_folder(job.bank), frozen=True))
    make = {"refine": refine_episode, "optimize": optimize_episode}[job.method]
    return make(target, device, job.folder, job.budget, job.seed, experience)


def _trial(event: TrialEvent) -> dict[str, Any]:
    return {
        "attempt": event.attempts,
        "latency_us": event.evaluation.latency_us if event.evaluation.timed else None,
        "best_us": event.best_us,
        "baseline_us": event.baseline_us,
        "state": _STATES[event.evaluation.state],
        "note": event.note,
    }


def _plain(value: Mapping[str, Any]) -> dict[str, Any]:
    """`value` without paths objects, for JSON."""
    return {key: str(item) if isinstance(item, Path) else item for key, item in value.items()}
