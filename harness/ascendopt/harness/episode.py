"""One search under one budget, written to one journal; its result is a patch."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ascendopt.harness.budget import Budget
from ascendopt.harness.candidate import Candidate
from ascendopt.harness.devices.base import Device
from ascendopt.harness.evaluation import Evaluation, State
from ascendopt.harness.gates.evaluator import Evaluator, EvaluatorSettings, Reference, StaticGate
from ascendopt.harness.holdout import holdout
from ascendopt.harness.journal.evaluations import recorded
from ascendopt.harness.journal.journal import Journal
from ascendopt.harness.operator_copy import OperatorSources, Scratch, text_digest
from ascendopt.harness.patch import make_patch
from ascendopt.harness.search.base import Proposer, Trial
from ascendopt.harness.workload import Case, Sampled, Workload

CHAMPION_TRIES = 3
STALL_LIMIT = 200
PATCH_NAME = "best.patch"

# Sources and the seeded generator -> a proposer.
ProposerFactory = Callable[[OperatorSources, np.random.Generator], Proposer]


class EpisodeError(RuntimeError):
    """An episode that can't start or go on: the original fails a gate. The message is one sentence."""


class Cancelled(Exception):
    """The caller asked to stop. The journal can be resumed."""


class CancelToken:
    """Set from any thread to stop an episode at the next trial."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        """Ask the episode to stop."""
        self._event.set()

    def check(self) -> None:
        """Raises Cancelled once ``cancel`` was called."""
        if self._event.is_set():
            raise Cancelled


@dataclass(frozen=True)
class EpisodeSettings:
    """What a journal's header records, beside the operator and the device. ``method`` names the proposer."""

    soc: str
    budget: int
    seed: int
    method: str = "tiling-search"
    margin: float = 0.03


@dataclass(frozen=True)
class TrialEvent:
    """What a caller is told after each trial: times in microseconds, ``note`` is one line."""

    number: int
    attempts: int
    budget: int
    candidate: Candidate
    evaluation: Evaluation
    baseline_us: float
    best_us: float
    replayed: bool

    @property
    def note(self) -> str:
        """What was changed, or why it failed."""
        return self.candidate.note if self.evaluation.ok else self.evaluation.reason


@dataclass(frozen=True)
class EpisodeResult:
    """The outcome. ``candidate`` and ``patch`` are empty when nothing faster was found.

    ``files`` are the whole new texts of the files that the winner changes; ``ended`` says why the proposer stopped
    early.
    """

    operator: str
    device: str
    modelled: bool
    baseline: Evaluation
    best: Evaluation | None
    candidate: Candidate | None
    unseen: Evaluation | None
    patch: str
    budget: Budget
    seconds: float
    journal: Path
    ended: str = ""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    workload: Workload = field(default_factory=lambda: Workload(()))

    def _case_json(self, case: Case) -> dict[str, Any]:
        """Weight, times and verdict of one case; ``correct`` is the winner's, or the original's without one."""
        before = {result.name: result for result in self.baseline.cases}.get(case.name)
        after = {result.name: result for result in self.best.cases}.get(case.name) if self.best else before
        return {
            "name": case.name,
            "weight": case.weight,
            "baseline_us": before.latency_us if before else None,
            "best_us": after.latency_us if after else None,
            "correct": after.correct if after else None,
            "sampled": None if case.sampled is None else sampled_json(case.sampled),
        }

    @property
    def baseline_us(self) -> float:
        """Weighted geometric mean of the original's times."""
        return self.baseline.latency_us or 0.0

    @property
    def best_us(self) -> float:
        """The same of the winner, or of the original when there is none."""
        return (self.best.latency_us if self.best else None) or self.baseline_us

    def to_json(self) -> dict[str, Any]:
        """The contract of ``tune --json``."""
        interval = self.best.interval if self.best and self.best.interval else (1.0, 1.0)
        return {
            "operator": self.operator,
            "device": self.device,
            "modelled": self.modelled,
            "baseline_us": self.baseline_us,
            "best_us": self.best_us,
            "speedup": self.best.speedup if self.best and self.best.speedup else 1.0,
            "speedup_interval": list(interval),
            "cases": [self._case_json(case) for case in self.workload.cases],
            "attempts": self.budget.attempts,
            "valid": self.budget.valid,
            "free_rejections": self.budget.free_rejections,
            "seconds": round(self.seconds, 3),
            "patch": self.patch,
            "journal": str(self.journal),
        }


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

    def run(
        self,
        *,
        resume: bool = False,
        cancel: CancelToken | None = None,
        on_trial: Callable[[TrialEvent], None] | None = None,
        on_phase: Callable[[str], None] | None = None,
    ) -> EpisodeResult:
        """Run to the end of the budget or of the search space.

        Raises JournalError, EpisodeError (the original fails), Cancelled; after a Cancelled or a kill the
        same call with ``resume`` ends as if nothing had happened.
        """
        started = time.perf_counter()
        with Scratch(self._sources) as scratch, Journal(self._folder, resume=resume) as journal:
            if self._on_journal is not None:
                self._on_journal(journal)
            run = _Run(self, scratch, journal, cancel or CancelToken(), on_trial, on_phase)
            return run.whole(started)

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
            "margin": self._settings.margin,
            "reference": reference.name if reference else None,
            "cases": [case_json(case) for case in self._workload.cases],
        }

    def evaluator(self, scratch: Scratch, workload: Workload) -> Evaluator:
        """Gates for ``workload`` (the search's own or the unseen one)."""
        settings = EvaluatorSettings(soc=self._settings.soc, seed=self._settings.seed, margin=self._settings.margin)
        return Evaluator(self._device, scratch, workload, settings, self._reference, self._static_gate)

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


class _Run:
    """The state of one run of an episode."""

    def __init__(
        self,
        episode: Episode,
        scratch: Scratch,
        journal: Journal,
        cancel: CancelToken,
        on_trial: Callable[[TrialEvent], None] | None,
        on_phase: Callable[[str], None] | None,
    ) -> None:
        self._episode = episode
        self._scratch = scratch
        self._journal = journal
        self._cancel = cancel
        self._on_trial = on_trial
        self._on_phase: Callable[[str], None] = on_phase or (lambda _phase: None)
        self._evaluator = episode.evaluator(scratch, episode.workload)
        self._budget = Budget(episode.settings.budget)
        self._history: list[Trial] = []
        self._known: dict[str, Evaluation] = {}
        self._ended = ""

    def whole(self, started: float) -> EpisodeResult:
        self._journal.header(self._episode.header())
        self._on_phase("baseline")
        baseline = self._evaluated("baseline", {}, self._evaluator.original)
        if not baseline.ok:
            raise EpisodeError(f"{self._episode.sources.name} fails as it is: {baseline.reason}")
        if baseline.latency_us is None:
            raise EpisodeError(f"{self._episode.sources.name} has no case that is timed (all are correctness_only).")
        self._on_phase("search")
        self._search(baseline)
        self._on_phase("champion")
        champion, best, unseen = self._champion(baseline)
        return self._finish(started, baseline, champion, best, unseen)

    def _evaluated(self, kind: str, decision: Mapping[str, Any], evaluate: Callable[[], Evaluation]) -> Evaluation:
        """One journalled evaluation, unless the run was cancelled."""
        self._cancel.check()
        return recorded(self._journal, kind, decision, evaluate)

    def _search(self, baseline: Evaluation) -> None:
        proposer = self._episode.proposer()
        proposer.start(baseline)
        stalled = 0
        while not self._budget.exhausted and stalled < STALL_LIMIT:
            candidates = proposer.propose(self._history)
            if not candidates:
                break
            for candidate in candidates:
                if self._budget.exhausted:
                    break
                before = self._budget.attempts
                evaluation = self._try(candidate, baseline)
                proposer.observe(candidate, evaluation)
                stalled = 0 if self._budget.attempts > before else stalled + 1
        self._ended = proposer.ended

    def _try(self, candidate: Candidate, baseline: Evaluation) -> Evaluation:
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
            evaluation = self._evaluated(
                "trial", {**decision, "files": files}, lambda: self._evaluator.candidate(candidate, baseline)
            )
            self._known[candidate.key] = evaluation
            if evaluation.state is State.STATIC:
                self._budget.free_rejections += 1
            else:
                self._budget.attempt(evaluation.ok)
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

    def _ranked(self) -> list[Trial]:
        """Faster ones, best first; of equal ones the earlier."""
        unique = {trial.candidate.key: trial for trial in reversed(self._history) if trial.evaluation.faster}
        return sorted(unique.values(), key=lambda t: (-(t.evaluation.speedup or 0.0), t.number))

    def _champion(self, baseline: Evaluation) -> tuple[Candidate | None, Evaluation | None, Evaluation | None]:
        """The best candidate that also holds with large values computed and on unseen shapes."""
        unseen_base: Evaluation | None = None
        unseen_gates: Evaluator | None = None
        for trial in self._ranked()[:CHAMPION_TRIES]:
            candidate = trial.candidate
            again = self._evaluated(
                "champion",
                {"trial": trial.number, "key": candidate.key},
                lambda candidate=candidate: self._evaluator.candidate(candidate, baseline, full=True),
            )
            if not again.faster:
                continue
            if unseen_gates is None:
                unseen_base, unseen_gates = self._unseen_baseline()
            if unseen_base is None:
                return candidate, again, None
            unseen = self._evaluated(
                "unseen",
                {"trial": trial.number, "key": candidate.key},
                lambda candidate=candidate, base=unseen_base, gates=unseen_gates: gates.candidate(
                    candidate, base, full=True
                ),
            )
            if unseen.ok:
                return candidate, again, unseen
        return None, None, None

    def _unseen_baseline(self) -> tuple[Evaluation | None, Evaluator]:
        """The original on the unseen cases that it passes itself, and the gates for exactly those."""
        cases = [replace(case, correctness_only=False) for case in holdout(self._episode.workload).cases]
        good: list[Case] = []
        for case in cases:
            alone = replace(self._episode.workload, cases=(case,))
            gates = self._episode.evaluator(self._scratch, alone)
            if self._evaluated("unseen-case", {"case": case_json(case)}, gates.original).ok:
                good.append(case)
        gates = self._episode.evaluator(self._scratch, replace(self._episode.workload, cases=tuple(good)))
        if not good:
            return None, gates
        return self._evaluated("unseen-baseline", {"cases": [case.name for case in good]}, gates.original), gates

    def _finish(
        self,
        started: float,
        baseline: Evaluation,
        champion: Candidate | None,
        best: Evaluation | None,
        unseen: Evaluation | None,
    ) -> EpisodeResult:
        sources = self._episode.sources
        files = sources.applied(champion) if champion else {}
        patch = make_patch(sources.texts, files)
        name = self._journal.artifacts.put(patch) if patch else None
        budget = self._budget
        self._journal.step(
            "end",
            {
                "key": champion.key if champion else None,
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
            best,
            champion,
            unseen,
            patch,
            budget,
            seconds,
            self._journal.folder / "journal.jsonl",
            self._ended,
            files,
            self._episode.workload,
        )


def case_json(case: Case) -> dict[str, Any]:
    """A case as plain data; ``sampled`` only where it is a member of a case with ranges."""
    data: dict[str, Any] = {
        "name": case.name,
        "inputs": _specs(case.inputs),
        "outputs": _specs(case.outputs),
        "attrs": {key: list(v) if isinstance(v, tuple) else v for key, v in sorted(case.attrs.items())},
        "weight": case.weight,
        "correctness_only": case.correctness_only,
    }
    if case.sampled is not None:
        data["sampled"] = sampled_json(case.sampled)
    return data


def sampled_json(sampled: Sampled) -> dict[str, Any]:
    """``{"case", "ranges": {name: text}, "sizes": {name: size}}``."""
    return {"case": sampled.case, "ranges": dict(sampled.ranges), "sizes": dict(sampled.sizes)}


def _specs(specs: Sequence[Any]) -> list[dict[str, Any]]:
    return [
        {
            "name": spec.name,
            "dtype": spec.dtype,
            "shapes": [list(shape) for shape in spec.shapes],
            "is_list": spec.is_list,
            "distribution": spec.distribution,
        }
        for spec in specs
    ]
