"""Stages one after the other under one budget: each starts from the best program of the ones before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ascendopt.harness.candidate import Candidate, HostTemplate
from ascendopt.harness.evaluation import Evaluation, State
from ascendopt.harness.search.base import Proposer, Trial


@dataclass(frozen=True)
class Stage:
    """``make`` gets the files that the best program so far changes and returns a proposer of files to change on top of
    them, or None when there is nothing to do. ``attempts`` bounds the stage; None: what is left."""

    name: str
    make: Callable[[Mapping[str, str]], Proposer | None]
    attempts: int | None = None


@dataclass(frozen=True)
class _Best:
    files: Mapping[str, str]
    note: str
    speedup: float
    evaluation: Evaluation | None


class StagedProposer(Proposer):
    """Runs the stages in order; a stage ends when it has no more to propose or when its attempts are used."""

    def __init__(self, stages: Sequence[Stage]) -> None:
        self._waiting = list(stages)
        self._stage: Stage | None = None
        self._proposer: Proposer | None = None
        self._best = _Best({}, "", 1.0, None)
        self._base = self._best
        self._spent = 0
        self._given: dict[str, Candidate] = {}
        self._by: dict[str, tuple[Proposer, _Best]] = {}

    def start(self, baseline: Evaluation) -> None:
        self._best = self._base = _Best({}, "", 1.0, baseline)

    def propose(self, history: Sequence[Trial]) -> list[Candidate]:
        while True:
            if self._proposer is None and not self._next_stage():
                return []
            assert self._proposer is not None and self._stage is not None
            used_up = self._stage.attempts is not None and self._spent >= self._stage.attempts
            proposed = [] if used_up else self._proposer.propose(history)
            if proposed:
                return [self._proposed(candidate) for candidate in proposed]
            self._end_stage()

    def _end_stage(self) -> None:
        if self._stage is not None and self._proposer is not None and self._proposer.ended:
            self.ended = f"{self.ended} {self._stage.name}: {self._proposer.ended}".strip()
            self.ended_by = self._proposer.ended_by
        self._proposer = None

    def observe(self, candidate: Candidate, evaluation: Evaluation) -> None:
        assert self._proposer is not None
        self._spent += evaluation.state is not State.STATIC
        self._proposer.observe(self._given.pop(candidate.key), evaluation)
        if evaluation.ok and evaluation.faster and (evaluation.speedup or 0.0) > self._best.speedup:
            self._best = _Best(dict(candidate.files), candidate.note, evaluation.speedup or 1.0, evaluation)

    def _next_stage(self) -> bool:
        while self._waiting:
            self._stage = self._waiting.pop(0)
            self._spent = 0
            self._base = self._best
            self._proposer = self._stage.make(dict(self._base.files))
            if self._proposer is not None:
                if self._base.evaluation is not None:
                    self._proposer.start(self._base.evaluation)
                return True
        return False

    def without_one(self, candidate: Candidate) -> list[Candidate]:
        """Changes of the stage that made it: those of the ones before it stay."""
        proposer, base = self._by[candidate.key]
        fewer = [_on(base, less) for less in proposer.without_one(candidate)]
        self._by.update((less.key, (proposer, base)) for less in fewer)
        return fewer

    def _proposed(self, candidate: Candidate) -> Candidate:
        assert self._proposer is not None
        whole = _on(self._base, candidate)
        self._given[whole.key] = candidate
        self._by.setdefault(whole.key, (self._proposer, self._base))
        return whole


def _on(base: _Best, candidate: Candidate) -> Candidate:
    note = "; ".join(part for part in (base.note, candidate.note) if part)
    files = {**base.files, **candidate.files}
    template = candidate.template
    if template is not None:
        template = HostTemplate({**base.files, **template.files}, template.values)
    return Candidate(files, candidate.origin, note, candidate.genes, template)
