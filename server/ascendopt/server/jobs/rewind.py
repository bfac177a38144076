"""Rewind: what the operator's own optimisations teach goes into the user's bank."""

from __future__ import annotations

import datetime
from pathlib import Path

from ascendopt.bank.merging import Counting
from ascendopt.bank.opening import open_bank
from ascendopt.harness.devices.base import Device
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.journal.events import read_events
from ascendopt.harness.rewind.rewind import RewindEvent, RewindSettings, rewind
from ascendopt.harness.target import Target
from ascendopt.server.jobs.orders import Orders
from ascendopt.server.jobs.target import bank_folder
from ascendopt.server.protocol import package_version
from ascendopt.server.worker import Channel, Job


def rewind_operator(job: Job, target: Target, device: Device, channel: Channel, orders: Orders) -> None:
    """Take one optimisation out at a time, one `trial` event each; what is slower without it becomes a motif."""
    store = open_bank(bank_folder(job.bank))
    baseline: list[float | None] = []

    def tell(event: RewindEvent) -> None:
        if not baseline:
            baseline.append(_baseline_us(job.folder))
        original = baseline[0]
        verdict = "kept in the bank" if event.kept else event.reason
        slower = f"{event.slowdown:.2f}x slower without it, " if event.slowdown is not None else ""
        channel.send(
            "trial",
            attempt=event.attempts,
            latency_us=original * event.slowdown if original is not None and event.slowdown is not None else None,
            # Nothing gets better here.
            best_us=None,
            baseline_us=original,
            state="ok" if event.slowdown is not None else "failed",
            note=f"{event.title}: {slower}{verdict}",
        )

    channel.send("phase", phase="baseline")
    today = datetime.date.today().isoformat()
    settings = RewindSettings(job.budget, job.seed, today, package_version())
    result = rewind(
        [target],
        device,
        job.folder,
        settings,
        cancel=orders.token,
        on_removal=tell,
        # The same measurement again is no further evidence.
        keep=lambda motif: store.put(motif, counting=Counting.SAME),
    )
    if result.skipped:
        name, reason = next(iter(result.skipped.items()))
        raise ValueError(f"Nothing could be learnt from {name}: {reason}")
    channel.send(
        "done",
        result={
            **result.to_json(),
            "baseline_us": _baseline_us(job.folder),
            "bank": str(store.folder),
            "modelled": device.capabilities.modelled,
        },
    )


def _baseline_us(folder: Path) -> float | None:
    """Time of the operator as it is, which rewind writes to its journal before anything else."""
    event = next((event for event in read_events(folder) if event["event"] == "baseline"), None)
    return Evaluation.from_json(event["evaluation"]).latency_us if event is not None else None
