"""The gates for one rewrite, against the operator as it is: on copies, never on the user's files."""

from __future__ import annotations

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.devices.base import Device
from ascendopt.harness.episode import EpisodeError
from ascendopt.harness.gates.evaluator import Evaluator, EvaluatorSettings
from ascendopt.harness.gates.static import StaticRules
from ascendopt.harness.operator_copy import Scratch
from ascendopt.harness.target import Target
from ascendopt.server.jobs.orders import Orders
from ascendopt.server.jobs.stopping import interrupted_on
from ascendopt.server.worker import Channel, Job


def verify(job: Job, target: Target, device: Device, channel: Channel, orders: Orders) -> None:
    """Compile, run and time `job.files` in place of the operator's; large cases are computed too.

    Raises EpisodeError when the operator fails as it is, Cancelled.
    """
    name = target.sources.name
    with interrupted_on(orders.stop), Scratch(target.sources) as scratch:
        gates = Evaluator(
            device,
            scratch,
            target.workload,
            EvaluatorSettings(target.soc),
            target.reference,
            StaticRules(target.sources.target, target.soc),
        )
        channel.send("phase", phase=f"{name} as it is")
        baseline = gates.original()
        if not baseline.ok:
            raise EpisodeError(f"{name} fails as it is: {baseline.reason}")
        if baseline.latency_us is None:
            raise EpisodeError(f"{name} has no case that is timed (all are correctness_only).")
        channel.send("phase", phase=f"{name} with the rewrite")
        verdict = gates.candidate(Candidate(job.files, "editor"), baseline, full=True)
    failure = verdict.failure
    channel.send(
        "done",
        verdict={
            "correct": verdict.ok,
            "faster": verdict.faster,
            "speedup": verdict.speedup,
            "interval": verdict.interval,
            "baseline_us": baseline.latency_us,
            "latency_us": verdict.latency_us,
            "modelled": device.capabilities.modelled,
            "margin": gates.margin,
            "cases": len(verdict.cases),
            "gate": failure.gate.value if failure is not None else "",
            "file": failure.file if failure is not None else None,
            "line": failure.line if failure is not None else None,
            "reason": failure.reason if failure is not None else "",
        },
    )
