"""One search under one budget, written to one journal; its result is a patch."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ascendopt.harness.budget import Budget, Stopwatch
from ascendopt.harness.cancelling import CancelToken
from ascendopt.harness.candidate import Candidate
from ascendopt.harness.champion import Champion, Finals
from ascendopt.harness.devices.base import Device
from ascendopt.harness.episode_result import EpisodeResult, TrialEvent, case_json
from ascendopt.harness.evaluation import Evaluation, State
from ascendopt.harness.executors.base import Executor, ExecutorFactory, GateSetup
from ascendopt.harness.executors.batch import Batch
from ascendopt.harness.executors.here import InProcess
from ascendopt.harness.gates.evaluator import Evaluator, EvaluatorSettings, Reference, StaticGate
from ascendopt.harness.gates.memory import EvaluationMemory
from ascendopt.harness.gates.profile import MARGIN
from ascendopt.harness.journal.evaluations import recorded
from ascendopt.harness.journal.journal import Journal
from ascendopt.harness.journal.run_times import read_elapsed
from ascendopt.harness.operator_copy import OperatorSources, Scratch, text_digest
from ascendopt.harness.patch import make_patch
from ascendopt.harness.search.base import Proposer, Trial
from ascendopt.harness.workload import Workload

STALL_LIMIT = 200
PATCH_NAME = "best.patch"

# Sources and the seeded generator -> a proposer.
ProposerFactory = Callable[[OperatorSources, np.random.Generator], Proposer]


class EpisodeError(RuntimeError):
    """An episode that can't start or go on: the original fails a gate. The message is one sentence."""


@dataclass(frozen=True)
class EpisodeSettings:
    """What a journal's header records, beside the operator and the device. ``method`` names the proposer."""

    soc: str
    budget: int
    seed: int
    method: str = "tiling-search"
    margin: float = MARGIN


class Episode:
    """Runs one search.

    ``workload``, ``device`` and the proposer are given; nothing is written but ``folder``. ``on_journal`` gets the open
    journal before anything is evaluated: a proposer that asks a model records its answers there.
    """

    def __init__(
        self,
        sources: OperatorSources,
        workload: Workload,
        device: Device,
        propose: ProposerFactory,
        settings: EpisodeSettings,
        folder: Path,
        *,
        reference: Reference | None = None,
        static_gate: StaticGate | None = None,
        on_journal: Callable[[Journal], None] | None = None,
    ) -> None:
        self._on_journal = on_journal
        self._sources = sources
        self._workload = workload
        self._device = device
        self._propose = propose
        self._settings = settings
        self._folder = folder
        self._reference = reference
        self._static_gate = static_gate
        self._memory: EvaluationMemory | None = None

    def remember(self, memory: EvaluationMemory) -> Episode:
        """Judge with the inputs of a comparison, and with what its other runs found. Returns this episode."""
        self._memory = memory
        return self

    def with_margin(self, margin: float) -> Episode:
        """Count as faster what is so by ``margin``, a share (0.03: three per cent). Returns this episode."""
        self._settings = replace(self._settings, margin=margin)
        return self

    def run(
        self,
        *,
        resume: bool = False,
        cancel: CancelToken | None = None,
        on_trial: Callable[[TrialEvent], None] | None = None,
        on_phase: Callable[[str], None] | None = None,
        executor: ExecutorFactory = InProcess,
        seconds: float | None = None,
    ) -> EpisodeResult:
        """Run to the end of the budget or of the search space.

        After ``seconds``, those of earlier runs of a resumed one included, no further attempt begins; the journal says
        so, and a resumed run ends its search at the same place. The winner is still checked.
        ``executor`` says where candidates are evaluated, and how many at a time; the journal does not depend on it.
        Raises JournalError, EpisodeError (the original fails), Cancelled; after a Cancelled or a kill the
        same call with ``resume`` ends as if nothing had happened.
        """
        started = time.perf_counter()
        token = cancel or CancelToken()
        earlier = read_elapsed(self._folder) if resume else 0.0
        with Scratch(self._sources) as scratch, Journal(self._folder, resume=resume) as journal:
            if self._on_journal is not None:
                self._on_journal(journal)
            gates = self.setup(self._workload).evaluator(self._device, scratch)
            with executor(self.setup(self._workload), gates, token) as workers:
                journal.started(workers.workers, workers.kind)
                limits = _Limits(token, Stopwatch(token, earlier), seconds)
                return _Run(self, scratch, gates, workers, journal, limits, on_trial, on_phase).whole(started)

    def header(self) -> dict[str, Any]:
        """What identifies this episode: equal headers and equal outcomes give equal journals."""
        capabilities = self._device.capabilities
        reference = self._workload.reference
        return {
            "operator": self._sources.name,
            "sources": {path: text_digest(text) for path, text in sorted(self._sources.texts.items())},
            "device": capabilities.name,
            "modelled": capabilities.modelled,
            "sandbox": capabilities.sandbox,
            "soc": self._settings.soc,
            "method": self._settings.method,
            "budget": self._settings.budget,
            "seed": self._settings.seed,
            **({"input_seed": self._memory.input_seed} if self._memory else {}),
            "margin": self._settings.margin,
            "reference": reference.name if reference else None,
            "cases": [case_json(case) for case in self._workload.cases],
        }

    def setup(self, workload: Workload) -> GateSetup:
        """What gates for ``workload`` need (the search's own or the unseen one)."""
        seed = self._memory.input_seed if self._memory else self._settings.seed
        settings = EvaluatorSettings(soc=self._settings.soc, seed=seed, margin=self._settings.margin)
        return GateSetup(self._sources, workload, settings, self._reference, self._static_gate, self._memory)

    @property
    def workload(self) -> Workload:
        """The cases of the search."""
        return self._workload

    @property
    def sources(self) -> OperatorSources:
        """The operator."""
        return self._sources

    @property
    def device(self) -> Device:
        """Where it runs."""
        return self._device

    @property
    def settings(self) -> EpisodeSettings:
        """Budget, seed, chip."""
        return self._settings

    def proposer(self) -> Proposer:
        """A new proposer on a new generator: the same for every run of this episode."""
        return self._propose(self._sources, np.random.Generator(np.random.PCG64(self._settings.seed)))


@dataclass(frozen=True)
class _Limits:
    """What ends a run besides its attempts."""

    cancel: CancelToken
    watch: Stopwatch
    seconds: float | None


class _Run:
    """The state of one run of an episode."""

    def __init__(
        self,
        episode: Episode,
        scratch: Scratch,
        gates: Evaluator,
        executor: Executor,
        journal: Journal,
        limits: _Limits,
        on_trial: Callable[[TrialEvent], None] | None,
        on_phase: Callable[[str], None] | None,
    ) -> None:
        self._episode = episode
        self._scratch = scratch
        self._gates = gates
        self._executor = executor
        self._journal = journal
        self._cancel = limits.cancel
        self._limits = limits
        self._on_trial = on_trial
        self._on_phase: Callable[[str], None] = on_phase or (lambda _phase: None)
        self._budget = Budget(episode.settings.budget)
        self._history: list[Trial] = []
        self._known: dict[str, Evaluation] = {}
        self._ended = ""
        self._ended_by = ""

    def whole(self, started: float) -> EpisodeResult:
        self._journal.header({**self._episode.header(), "ensemble": self._ensemble()})
        self._on_phase("baseline")
        baseline = self._evaluated("baseline", {}, self._gates.original)
        if not baseline.ok:
            raise EpisodeError(f"{self._episode.sources.name} fails as it is: {baseline.reason}")
        if baseline.latency_us is None:
            raise EpisodeError(f"{self._episode.sources.name} has no case that is timed (all are correctness_only).")
        self._on_phase("search")
        proposer = self._episode.proposer()
        self._search(proposer, baseline)
        self._on_phase("champion")
        finals = Finals(self._episode.workload, self._gates, self._gates_for, self._evaluated, proposer)
        return self._finish(started, baseline, finals.champion(self._history, baseline))

    def _gates_for(self, workload: Workload) -> Evaluator:
        return self._episode.setup(workload).evaluator(self._episode.device, self._scratch)

    def _ensemble(self) -> str | None:
        """The artifact with the uncertain constants behind the times: reports say which of them a gain rests on."""
        ensemble = self._episode.device.ensemble()
        return None if ensemble is None else self._journal.artifacts.put(json.dumps(ensemble, sort_keys=True))

    def _evaluated(self, kind: str, decision: Mapping[str, Any], evaluate: Callable[[], Evaluation]) -> Evaluation:
        """One journalled evaluation in this process. Raises Cancelled."""
        self._cancel.check()
        return recorded(self._journal, kind, decision, lambda: self._cancel.interruptible(evaluate))

    def _search(self, proposer: Proposer, baseline: Evaluation) -> None:
        proposer.start(baseline)
        stalled, ended = 0, ""
        while not (ended := self._spent() or ("repeats" if stalled >= STALL_LIMIT else "")):
            candidates = proposer.propose(self._history)
            if not candidates:
                ended = proposer.ended_by
                break
            with closing(Batch(self._executor, self._fresh(candidates), baseline)) as batch:
                for candidate in candidates:
                    if self._spent():
                        break
                    before = self._budget.attempts
                    evaluation = self._try(candidate, baseline, batch)
                    proposer.observe(candidate, evaluation)
                    stalled = 0 if self._budget.attempts > before else stalled + 1
        self._ended = proposer.ended
        self._ended_by = self._journal.step("search-end", {"by": ended})["by"]

    def _spent(self) -> str:
        """What is spent: ``attempts``, ``seconds`` or nothing. Of recorded ones the journal says when time was up."""
        if self._budget.exhausted:
            return "attempts"
        if (recorded := self._journal.upcoming) is not None:
            return "seconds" if recorded["event"] == "search-end" and recorded["by"] == "seconds" else ""
        seconds = self._limits.seconds
        return "seconds" if seconds is not None and self._limits.watch.seconds >= seconds else ""

    def _fresh(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Those that change something and are no repetition, neither of an earlier batch nor within this one."""
        unique = {candidate.key: candidate for candidate in reversed(candidates)}
        return [
            candidate
            for candidate in candidates
            if unique[candidate.key] is candidate
            and candidate.key not in self._known
            and self._episode.sources.applied(candidate)
        ]

    def _try(self, candidate: Candidate, baseline: Evaluation, batch: Batch) -> Evaluation:
        number = len(self._history) + 1
        replayed = self._journal.replaying
        changed = self._episode.sources.applied(candidate)
        decision: dict[str, Any] = {
            "trial": number,
            "key": candidate.key,
            "origin": candidate.origin,
            "note": candidate.note,
            "genes": dict(candidate.genes),
        }
        if not changed or candidate.key in self._known:
            evaluation = self._known.get(candidate.key, replace(baseline, speedup=1.0, interval=(1.0, 1.0)))
            self._journal.step("noop" if not changed else "repeat", decision)
            self._budget.noops += not changed
            self._budget.repeats += bool(changed)
        else:
            files = {path: self._journal.artifacts.put(text) for path, text in sorted(changed.items())}
            self._cancel.check()
            evaluation = recorded(
                self._journal,
                "trial",
                {**decision, "files": files},
                lambda: batch.evaluation(candidate, self._budget.left),
            )
            self._known[candidate.key] = evaluation
            if evaluation.state is State.STATIC:
                self._budget.free_rejections += 1
            else:
                self._budget.attempt(evaluation.ok)
            if not replayed:
                self._journal.elapsed(self._limits.watch.seconds)
        self._history.append(Trial(number, candidate, evaluation))
        self._tell(number, candidate, evaluation, baseline, replayed)
        return evaluation

    def _tell(
        self, number: int, candidate: Candidate, evaluation: Evaluation, baseline: Evaluation, replayed: bool
    ) -> None:
        if self._on_trial is None:
            return
        base = baseline.latency_us or 0.0
        times = [base, *(t.evaluation.latency_us or base for t in self._history if t.evaluation.faster)]
        event = TrialEvent(
            number,
            self._budget.attempts,
            self._budget.total,
            candidate,
            evaluation,
            base,
            min(times),
            replayed,
        )
        self._on_trial(event)

    def _finish(self, started: float, baseline: Evaluation, champion: Champion) -> EpisodeResult:
        sources = self._episode.sources
        winner = champion.candidate
        files = sources.applied(winner) if winner else {}
        patch = make_patch(sources.texts, files)
        name = self._journal.artifacts.put(patch) if patch else None
        budget = self._budget
        self._journal.step(
            "end",
            {
                "key": winner.key if winner else None,
                "patch": name,
                "attempts": budget.attempts,
                "valid": budget.valid,
                "free_rejections": budget.free_rejections,
                "repeats": budget.repeats,
                "noops": budget.noops,
            },
        )
        if patch:
            target = self._journal.folder / PATCH_NAME
            target.write_bytes(patch.encode("utf-8", "surrogateescape"))
        capabilities = self._episode.device.capabilities
        seconds = time.perf_counter() - started
        return EpisodeResult(
            sources.name,
            capabilities.name,
            capabilities.modelled,
            baseline,
            champion.best,
            winner,
            champion.unseen,
            patch,
            budget,
            seconds,
            self._journal.folder / "journal.jsonl",
            self._ended,
            files,
            self._episode.workload,
            self._ended_by,
            self._executor.workers,
            self._executor.kind,
        )
