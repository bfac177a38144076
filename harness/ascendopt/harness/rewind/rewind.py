"""Optimisation rewind: remove one optimisation at a time from a strong kernel; what measurably hurts is experience.

A removal is kept when it compiles, stays correct, and is slower than the original by more than the margin in at least
95 % of the model's parameter sets (on a measuring device: when the whole interval lies beyond the noise floor).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ascendopt.bank.codec import motif_from_json, motif_to_json
from ascendopt.bank.motif import Motif
from ascendopt.harness.cancelling import CancelToken
from ascendopt.harness.candidate import Candidate
from ascendopt.harness.devices.base import Device
from ascendopt.harness.episode_result import case_json
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.gates.evaluator import Evaluator, EvaluatorSettings
from ascendopt.harness.journal.evaluations import recorded
from ascendopt.harness.journal.journal import Journal
from ascendopt.harness.operator_copy import Scratch, text_digest
from ascendopt.harness.rewind.distil import Removal, distil
from ascendopt.harness.structural.base import Change, StructuralOperator
from ascendopt.harness.structural.registry import structural_operators
from ascendopt.harness.structural.view import candidate_of, view_of
from ascendopt.harness.target import Target

METHOD = "rewind"


@dataclass(frozen=True)
class RewindSettings:
    """``budget`` attempts for each operator; ``date`` (ISO) and ``version`` go into the motifs."""

    budget: int
    seed: int
    date: str
    version: str
    margin: float = 0.03


@dataclass(frozen=True)
class RewindEvent:
    """What a caller is told after each removal."""

    operator: str
    title: str
    attempts: int
    budget: int
    kept: bool
    slowdown: float | None
    reason: str


@dataclass
class RewindResult:
    """``attempts`` over all operators; ``motifs`` in the order found, with the slowdown of their removal; ``skipped``
    says of which operators nothing could be learnt, and why."""

    operators: list[str] = field(default_factory=list[str])
    attempts: int = 0
    motifs: list[tuple[Motif, float]] = field(default_factory=list[tuple[Motif, float]])
    skipped: dict[str, str] = field(default_factory=dict[str, str])

    def to_json(self) -> dict[str, Any]:
        """The contract of ``rewind --json``."""
        return {
            "operators": self.operators,
            "attempts": self.attempts,
            "kept": len(self.motifs),
            "motifs": [
                {"id": motif.id, "title": motif.title, "symptom": motif.symptom.value, "slowdown": round(slowdown, 4)}
                for motif, slowdown in self.motifs
            ],
            "skipped": self.skipped,
        }


def rewind(
    targets: Sequence[Target],
    device: Device,
    folder: Path,
    settings: RewindSettings,
    *,
    resume: bool = False,
    cancel: CancelToken | None = None,
    on_removal: Callable[[RewindEvent], None] | None = None,
    keep: Callable[[Motif], object] | None = None,
) -> RewindResult:
    """Try removals on each of ``targets``; ``keep`` gets each motif as soon as it is journalled.

    ``keep`` must bear the same motif twice: a resumed run gives it again. Raises JournalError, Cancelled.
    """
    result = RewindResult()
    token = cancel or CancelToken()
    with Journal(folder, resume=resume) as journal:
        journal.header(
            {
                "method": METHOD,
                "budget": settings.budget,
                "seed": settings.seed,
                "margin": settings.margin,
                "date": settings.date,
                "operators": [
                    {
                        "operator": target.sources.name,
                        "sources": {path: text_digest(text) for path, text in sorted(target.sources.texts.items())},
                        "soc": target.soc,
                        "cases": [case_json(case) for case in target.workload.cases],
                    }
                    for target in targets
                ],
            }
        )
        for target in targets:
            _Operator(target, device, journal, settings, token, on_removal, keep).run(result)
        journal.step("end", {"attempts": result.attempts, "kept": [motif.id for motif, _ in result.motifs]})
    return result


class _Operator:
    """Rewind of one operator."""

    def __init__(
        self,
        target: Target,
        device: Device,
        journal: Journal,
        settings: RewindSettings,
        cancel: CancelToken,
        on_removal: Callable[[RewindEvent], None] | None,
        keep: Callable[[Motif], object] | None,
    ) -> None:
        self._target = target
        self._device = device
        self._journal = journal
        self._settings = settings
        self._cancel = cancel
        self._on_removal = on_removal
        self._keep = keep

    def run(self, result: RewindResult) -> None:
        name = self._target.sources.name
        result.operators.append(name)
        with Scratch(self._target.sources) as scratch:
            settings = EvaluatorSettings(self._target.soc, self._settings.seed, self._settings.margin)
            workload = self._target.workload
            evaluator = Evaluator(self._device, scratch, workload, settings, self._target.reference)
            baseline = recorded(self._journal, "baseline", {"operator": name}, evaluator.original)
            if not baseline.ok or baseline.latency_us is None:
                result.skipped[name] = baseline.reason or "no case is timed"
                return
            attempts = 0
            for operator, change, candidate in self._removals():
                if attempts >= self._settings.budget:
                    break
                self._cancel.check()
                attempts += 1
                slow = recorded(
                    self._journal,
                    "removal",
                    {"operator": name, "removal": change.operator, "title": change.title, "key": candidate.key},
                    lambda candidate=candidate: evaluator.candidate(candidate, baseline),
                )
                self._judge(result, Removal(operator, change, candidate.files, baseline, slow), attempts)
            result.attempts += attempts

    def _judge(self, result: RewindResult, removal: Removal, attempts: int) -> None:
        slow = removal.slow
        kept = slow.ok and hurts(slow, self._settings.margin)
        if kept:
            motif = distil(
                removal,
                self._target.sources,
                self._device.capabilities,
                self._settings.date,
                self._settings.version,
            )
            event = self._journal.step("motif", {"id": motif.id}, lambda: {"motif": motif_to_json(motif)})
            motif = motif_from_json(event["motif"], "the journal")
            result.motifs.append((motif, removal.slowdown))
            if self._keep is not None:
                self._keep(motif)
        if self._on_removal is not None:
            reason = slow.reason if not slow.ok else "" if kept else "not slower beyond the margin"
            slowdown = removal.slowdown if slow.ok else None
            self._on_removal(
                RewindEvent(
                    self._target.sources.name,
                    removal.change.title,
                    attempts,
                    self._settings.budget,
                    kept,
                    slowdown,
                    reason,
                )
            )

    def _removals(self) -> list[tuple[StructuralOperator, Change, Candidate]]:
        """Every removal that applies, structural operators taking turns, so that a small budget sees all kinds."""
        view = view_of(self._target.sources, self._target.soc)
        rng = np.random.Generator(np.random.PCG64(self._settings.seed))
        columns: list[list[tuple[StructuralOperator, Change, Candidate]]] = []
        for operator in structural_operators():
            offered = [(operator, change, candidate_of(view, change)) for change in operator.removals(view)]
            order = rng.permutation(len(offered))
            columns.append([offered[int(index)] for index in order])
        turns = max((len(column) for column in columns), default=0)
        unique: dict[str, tuple[StructuralOperator, Change, Candidate]] = {}
        for turn in range(turns):
            for column in columns:
                if turn < len(column):
                    unique.setdefault(column[turn][2].key, column[turn])
        return list(unique.values())


def hurts(slow: Evaluation, margin: float) -> bool:
    """Slower by the margin, the 97.5 percentile of its speed-up included."""
    if slow.speedup is None or slow.interval is None:
        return False
    worst = 1.0 / (1.0 + margin)
    return slow.speedup <= worst and slow.interval[1] <= worst
