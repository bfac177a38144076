"""The executor interface: a batch of candidates in, their evaluations out, in the order of the batch.

An executor knows neither proposers nor journals, and a search does not know how many candidates are evaluated at a
time: what a journal says does not depend on it. Implementations pass ``tests/harness/executors/conformance.py``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from types import TracebackType

from ascendopt.harness.cancelling import CancelToken
from ascendopt.harness.candidate import Candidate
from ascendopt.harness.devices.base import Device
from ascendopt.harness.evaluation import Evaluation, Gate, GateResult, State
from ascendopt.harness.gates.evaluator import Evaluator, EvaluatorSettings, Reference, StaticGate
from ascendopt.harness.gates.memory import EvaluationMemory, RememberingEvaluator
from ascendopt.harness.operator_copy import OperatorSources, Scratch
from ascendopt.harness.workload import Workload


@dataclass(frozen=True)
class GateSetup:
    """What the gates need besides a device, as plain data that can be sent to another process (pickle)."""

    sources: OperatorSources
    workload: Workload
    settings: EvaluatorSettings
    reference: Reference | None = None
    static_gate: StaticGate | None = None
    memory: EvaluationMemory | None = None

    def evaluator(self, device: Device, scratch: Scratch) -> Evaluator:
        """The gates on ``device``, with copies of the operator in ``scratch``."""
        given = (device, scratch, self.workload, self.settings, self.reference, self.static_gate)
        return Evaluator(*given) if self.memory is None else RememberingEvaluator(*given, self.memory)


class ExecutorError(ValueError):
    """An executor that can't be had as it was asked for. The message is one sentence for the user."""


class Executor(ABC):
    """Evaluates candidates. Use as a context manager: leaving it ends every process that it started."""

    def __enter__(self) -> Executor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    @abstractmethod
    def kind(self) -> str:
        """What ``--executor`` calls it."""

    @property
    @abstractmethod
    def workers(self) -> int:
        """How many candidates are evaluated at a time."""

    @abstractmethod
    def evaluate(self, candidates: Sequence[Candidate], baseline: Evaluation) -> Generator[Evaluation]:
        """One evaluation for each of ``candidates``, in their order, against ``baseline``.

        Whatever breaks on the way to an evaluation (a worker that dies or hangs) is itself an evaluation, with its
        reason. Closing the generator gives up what is not yielded yet. Raises Cancelled.
        """

    @abstractmethod
    def close(self) -> None:
        """End all workers and remove what they left. The executor can not be used afterwards."""


LOCAL, RAY = "local", "ray"

# The gates of an episode, evaluated in this process, and its token -> an executor for its candidates.
ExecutorFactory = Callable[[GateSetup, Evaluator, CancelToken], Executor]


def lost_worker(reason: str, seconds: float) -> Evaluation:
    """The evaluation of a candidate whose worker is gone; ``reason`` is one sentence."""
    return Evaluation(State.FAILED, (GateResult(Gate.COMPILE, False, reason),), seconds=seconds)
