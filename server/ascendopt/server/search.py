"""One search as the server sees it: the worker's events in, trials out, the result as an edit or as motifs."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ascendopt.server.edits import FileChange, line_changes, workspace_edit
from ascendopt.server.protocol import SearchResult, TrialParams
from ascendopt.server.worker import Job
from ascendopt.server.worker_process import WorkerProcess

# The methods, and what a user calls them at the start of a sentence.
METHODS = {
    "tiling": "Tiling search",
    "refine": "Kernel refinement",
    "optimize": "Optimisation",
    "rewind": "Rewind",
}
DEFAULT_BUDGETS = {"tiling": 60, "refine": 60, "optimize": 60, "rewind": 20}
DEFAULT_SEED = 1

OnTrial = Callable[[TrialParams], None]
OnPhase = Callable[[str], None]


class SearchCancelled(Exception):
    """The search was asked to stop; nothing was changed."""


class StaleResult(Exception):
    """A file moved on since the search started. The message is one sentence for the user."""


@dataclass(frozen=True)
class FinishedSearch:
    """What is kept of a search until somebody applies it. `before` and `after` map absolute paths to texts."""

    search: str
    before: Mapping[Path, bytes]
    after: Mapping[Path, str]
    summary: str
    method: str = "tiling"

    def edit(self, current: Callable[[Path], tuple[str, int | None, bytes]], *, versioned: bool) -> Any:
        """The edit against the files as they are now; `current` gives URI, version (None: not open) and bytes.

        Raises StaleResult when a file is not what the search started from.
        """
        from ascendopt.server.text import Positions

        files: list[FileChange] = []
        for path, text in self.after.items():
            uri, version, data = current(path)
            if data != self.before[path]:
                raise StaleResult(f"{path.name} was changed since the search started; run the search again.")
            files.append(FileChange(uri, version, Positions.of(data), line_changes(data, text)))
        return workspace_edit(files, METHODS[self.method], self.summary, versioned=versioned)


class RunningSearch:
    """The search that runs, for who wants it to rest. It rests between attempts, not in the middle of one."""

    def __init__(self) -> None:
        self.identity = uuid.uuid4().hex[:12]
        self._worker: WorkerProcess | None = None
        self._wanted = False
        self._resting: asyncio.Future[bool] | None = None

    async def pause(self) -> bool:
        """Returns when it rests; False when it was told to go on, or ended, before it did."""
        self._wanted = True
        if self._resting is None:
            self._resting = asyncio.get_running_loop().create_future()
            if self._worker is not None:
                self._worker.pause()
        # Shielded: of several who wait, one may lose interest.
        return await asyncio.shield(self._resting)

    def resume(self) -> None:
        """Let it go on."""
        self._wanted = False
        self._answer(False)
        self._resting = None
        if self._worker is not None:
            self._worker.resume()

    def began(self, worker: WorkerProcess) -> None:
        """It has a worker now."""
        self._worker = worker
        if self._wanted:
            worker.pause()

    def rests(self) -> None:
        """Its worker said that it rests."""
        self._answer(True)

    def ended(self) -> None:
        """There is nothing left that could rest."""
        self._worker = None
        self._answer(False)

    def _answer(self, rests: bool) -> None:
        if self._resting is not None and not self._resting.done():
            self._resting.set_result(rests)


@dataclass
class SearchRegistry:
    """Searches of this session: one may run at a time, finished ones wait to be applied."""

    running: RunningSearch | None = None
    finished: dict[str, FinishedSearch] = field(default_factory=dict[str, FinishedSearch])


@dataclass(frozen=True)
class SearchRequest:
    """What to search: the operator's path, the texts that are open (by path relative to it), the budget."""

    method: str
    operator: Path
    soc: str
    overlay: Mapping[str, str]
    budget: int
    seed: int
    journal: Path
    bank: str = ""


@dataclass(frozen=True)
class SearchOutcome:
    """What a worker sent at the end: the contract of the command's `--json`, and the changed files' texts."""

    result: Mapping[str, Any]
    files: Mapping[str, str]


async def run_search(
    running: RunningSearch,
    request: SearchRequest,
    on_trial: OnTrial,
    on_phase: OnPhase,
    start: Callable[[Job], WorkerProcess] = WorkerProcess,
) -> SearchOutcome:
    """Run to the end.

    Raises SearchCancelled, WorkerFailed. Cancelling the task ends the worker with all its children.
    """
    job = Job(
        "rewind" if request.method == "rewind" else "search",
        request.operator,
        request.soc,
        request.overlay,
        request.budget,
        request.seed,
        request.journal,
        request.method,
        request.bank,
    )
    async with start(job) as worker:
        running.began(worker)
        phase, rested = "", False
        try:
            async for event in worker.events():
                kind = event["event"]
                if kind == "trial":
                    if rested:
                        rested = False
                        on_phase(phase)
                    on_trial(_trial(running.identity, event))
                elif kind == "phase":
                    phase = event["phase"]
                    on_phase(phase)
                elif kind == "paused":
                    rested = True
                    running.rests()
                    on_phase("paused")
                elif kind == "cancelled":
                    raise SearchCancelled
                elif kind == "done":
                    return SearchOutcome(event["result"], event.get("files", {}))
        finally:
            running.ended()
    raise SearchCancelled


def to_result(search: str, method: str, result: Mapping[str, Any], edit: Any) -> SearchResult:
    """The answer to the client."""
    if method == "rewind":
        return _rewound(search, result)
    found = edit is not None
    return SearchResult(
        search=search,
        method=method,
        speedup=result["speedup"] if found else None,
        speedup_interval=tuple(result["speedup_interval"]) if found else None,
        baseline_us=result["baseline_us"],
        best_us=result["best_us"],
        attempts=result["attempts"],
        valid=result["valid"],
        modelled=result["modelled"],
        edit=edit,
        summary=summary_of(result, found),
        motifs=[],
        bank="",
    )


def _rewound(search: str, result: Mapping[str, Any]) -> SearchResult:
    motifs, attempts = result["motifs"], result["attempts"]
    how = "modelled" if result["modelled"] else "measured"
    learnt = f"{len(motifs)} {'motif' if len(motifs) == 1 else 'motifs'} of {attempts} removals ({how})"
    return SearchResult(
        search=search,
        method="rewind",
        speedup=None,
        speedup_interval=None,
        baseline_us=result["baseline_us"],
        best_us=result["baseline_us"],
        attempts=attempts,
        valid=len(motifs),
        modelled=result["modelled"],
        edit=None,
        summary=f"{learnt} kept in the bank {result['bank']}." if motifs else f"Nothing to keep: {learnt}.",
        motifs=motifs,
        bank=result["bank"],
    )


def summary_of(result: Mapping[str, Any], found: bool) -> str:
    """One sentence with the figures, saying whether the times are modelled."""
    tries = f"{result['attempts']} attempts, {result['valid']} valid"
    how = "modelled" if result["modelled"] else "measured"
    if not found:
        return f"Nothing faster than {result['baseline_us']:.1f} µs ({how}) was found in {tries}."
    return f"{gain_phrase(result)}, {tries}."


def gain_phrase(result: Mapping[str, Any]) -> str:
    """`1.50x faster: 30.0 to 20.0 µs (modelled; 95 % interval 1.40 to 1.60)`."""
    how = "modelled" if result["modelled"] else "measured"
    low, high = result["speedup_interval"]
    return (
        f"{result['speedup']:.2f}x faster: {result['baseline_us']:.1f} to {result['best_us']:.1f} µs ({how}; "
        f"95 % interval {low:.2f} to {high:.2f})"
    )


def _trial(search: str, event: Mapping[str, Any]) -> TrialParams:
    return TrialParams(
        search=search,
        attempt=event["attempt"],
        latency_us=event["latency_us"],
        best_us=event["best_us"],
        baseline_us=event["baseline_us"],
        state=event["state"],
        note=event["note"],
    )
