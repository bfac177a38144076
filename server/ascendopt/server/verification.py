"""The verdict of the gates about one rewrite, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ascendopt.server.search import SearchCancelled, gain_phrase
from ascendopt.server.worker import Job
from ascendopt.server.worker_process import WorkerProcess

_GATES = {
    "static": "the static check",
    "compile": "the compile gate",
    "correctness": "the correctness gate",
    "profile": "the profile gate",
}


@dataclass(frozen=True)
class Verdict:
    """What the gates said. `sentence` has the figures and says whether they are modelled or measured."""

    correct: bool
    faster: bool
    sentence: str

    @staticmethod
    def of(title: str, data: Mapping[str, Any]) -> Verdict:
        """The worker's verdict about the rewrite `title`."""
        correct, faster = bool(data["correct"]), bool(data["faster"])
        return Verdict(correct, faster, _sentence(title, data))


async def run_verification(
    job: Job, on_phase: Callable[[str], None], start: Callable[[Job], WorkerProcess] = WorkerProcess
) -> Mapping[str, Any]:
    """Run the gates in a worker. Raises SearchCancelled, WorkerFailed; cancelling the task ends the worker."""
    async with start(job) as worker:
        async for event in worker.events():
            kind = event["event"]
            if kind == "phase":
                on_phase(event["phase"])
            elif kind == "done":
                return event["verdict"]
    raise SearchCancelled


def _sentence(title: str, data: Mapping[str, Any]) -> str:
    """Figures first: editors cut long messages."""
    if not data["correct"]:
        place = f" at {data['file']}:{data['line']}" if data["file"] and data["line"] else ""
        return f"Not applied, {_GATES[data['gate']]} failed{place}: {data['reason'].rstrip('.')} ({title})."
    low, high = data["interval"]
    if data["faster"]:
        result = {**data, "best_us": data["latency_us"], "speedup_interval": data["interval"]}
        return f"Applied, {gain_phrase(result)}, correct on {data['cases']} cases: {title}."
    how = "modelled" if data["modelled"] else "measured"
    needed = f", less than the {data['margin']:.0%} that count" if data["modelled"] and data["speedup"] >= 1 else ""
    return (
        f"Not applied, correct but not faster: {data['speedup']:.3f}x ({how}; 95 % interval {low:.3f} to {high:.3f})"
        f"{needed}: {title}."
    )
