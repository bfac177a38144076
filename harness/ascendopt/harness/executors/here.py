"""Evaluates in this process, one candidate after the other."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from ascendopt.harness.cancelling import CancelToken
from ascendopt.harness.candidate import Candidate
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.executors.base import LOCAL, Executor, GateSetup
from ascendopt.harness.gates.evaluator import Evaluator


class InProcess(Executor):
    """Shares the evaluator, and so the device, of its episode."""

    def __init__(self, _setup: GateSetup, gates: Evaluator, token: CancelToken) -> None:
        self._gates = gates
        self._token = token

    @property
    def kind(self) -> str:
        return LOCAL

    @property
    def workers(self) -> int:
        return 1

    def evaluate(self, candidates: Sequence[Candidate], baseline: Evaluation) -> Generator[Evaluation]:
        for candidate in candidates:
            yield self._token.interruptible(lambda candidate=candidate: self._gates.candidate(candidate, baseline))

    def close(self) -> None:
        return
