"""Which candidate of a search wins: the best that holds again, with large values computed and on unseen shapes.

What a candidate changes without a gain is taken back before: a patch says only what it rests on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.episode_result import case_json
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.gates.evaluator import Evaluator
from ascendopt.harness.holdout import holdout
from ascendopt.harness.search.base import Proposer, Trial
from ascendopt.harness.workload import Case, Workload

CHAMPION_TRIES = 3
# Decimals of a speed-up that is printed.
EQUAL_DIGITS = 3

# Kind of event, decision, and what computes the evaluation -> the evaluation, from the journal or computed.
Evaluated = Callable[[str, Mapping[str, Any], Callable[[], Evaluation]], Evaluation]
# Kind of event of a program with one change less.
TAKEN_BACK = "taken-back"


@dataclass(frozen=True)
class Champion:
    """The winner with its evaluations; all None when there is none, ``unseen`` also when no shape was left to try."""

    candidate: Candidate | None = None
    best: Evaluation | None = None
    unseen: Evaluation | None = None


class Finals:
    """Evaluates the best candidates of a search again. ``gates`` makes an evaluator for other cases, ``search`` knows
    what its candidates are without one of their changes."""

    def __init__(
        self,
        workload: Workload,
        own_gates: Evaluator,
        gates: Callable[[Workload], Evaluator],
        evaluated: Evaluated,
        search: Proposer,
    ) -> None:
        self._workload = workload
        self._own_gates = own_gates
        self._gates = gates
        self._evaluated = evaluated
        self._search = search

    def champion(self, history: Sequence[Trial], baseline: Evaluation) -> Champion:
        """The best of ``history`` that holds, of at most ``CHAMPION_TRIES`` tried."""
        unseen_base: Evaluation | None = None
        unseen_gates: Evaluator | None = None
        for trial in self._contenders(history, baseline):
            candidate = trial.candidate
            again = self._again("champion", trial, self._own_gates, baseline)
            if not again.faster:
                continue
            if unseen_gates is None:
                unseen_base, unseen_gates = self._unseen_baseline()
            if unseen_base is None:
                return Champion(candidate, again)
            unseen = self._again("unseen", trial, unseen_gates, unseen_base)
            if unseen.ok:
                return Champion(candidate, again, unseen)
        return Champion()

    def _contenders(self, history: Sequence[Trial], baseline: Evaluation) -> Iterator[Trial]:
        """The best trials, each with its idle changes taken back, then as it was."""
        for trial in _ranked(history)[:CHAMPION_TRIES]:
            lean = self._lean(trial, baseline)
            if lean is not trial:
                yield lean
            yield trial

    def _lean(self, trial: Trial, baseline: Evaluation) -> Trial:
        """``trial`` without the changes that a reader would not see in its time; itself if each of them gains."""
        lean, gaining = trial, 0
        while gaining < len(fewer := self._search.without_one(lean.candidate)):
            less = fewer[gaining]
            decision = {"trial": trial.number, "key": less.key, "origin": less.origin, "note": less.note}
            evaluation = self._evaluated(
                TAKEN_BACK,
                {**decision, "genes": dict(less.genes)},
                lambda less=less: self._own_gates.candidate(less, baseline),
            )
            if evaluation.faster and _shown(evaluation) >= _shown(trial.evaluation):
                lean = Trial(trial.number, less, evaluation)
            else:
                gaining += 1
        return lean

    def _again(self, kind: str, trial: Trial, gates: Evaluator, baseline: Evaluation) -> Evaluation:
        decision = {"trial": trial.number, "key": trial.candidate.key}
        return self._evaluated(kind, decision, lambda: gates.candidate(trial.candidate, baseline, full=True))

    def _unseen_baseline(self) -> tuple[Evaluation | None, Evaluator]:
        """The original on the unseen cases that it passes itself, and the gates for exactly those."""
        cases = [replace(case, correctness_only=False) for case in holdout(self._workload).cases]
        good: list[Case] = []
        for case in cases:
            gates = self._gates(replace(self._workload, cases=(case,)))
            if self._evaluated("unseen-case", {"case": case_json(case)}, gates.original).ok:
                good.append(case)
        gates = self._gates(replace(self._workload, cases=tuple(good)))
        if not good:
            return None, gates
        return self._evaluated("unseen-baseline", {"cases": [case.name for case in good]}, gates.original), gates


def _ranked(history: Sequence[Trial]) -> list[Trial]:
    """Faster ones, best first; of those that are equal for a reader the one with less to say, then the earlier."""
    unique = {trial.candidate.key: trial for trial in reversed(history) if trial.evaluation.faster}
    return sorted(
        unique.values(),
        key=lambda t: (-_shown(t.evaluation), len(t.candidate.note), t.number),
    )


def _shown(evaluation: Evaluation) -> float:
    """The speed-up as a reader sees it."""
    return round(evaluation.speedup or 0.0, EQUAL_DIGITS)
