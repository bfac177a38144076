"""Evaluates in worker processes on this machine, each with a device, an evaluator and a scratch folder of its own."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from functools import partial
from multiprocessing.connection import wait

from ascendopt.harness.cancelling import CancelToken
from ascendopt.harness.candidate import Candidate
from ascendopt.harness.devices.base import Device, DeviceFailure
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.executors.base import LOCAL, Executor, GateSetup, lost_worker
from ascendopt.harness.executors.in_order import in_order
from ascendopt.harness.executors.local_worker import LocalWorker, WorkerLost, end_workers
from ascendopt.harness.gates.evaluator import Evaluator

# Every request to a device has limits of its own; this one is for a worker that is stuck itself.
LIMIT_S = 1800.0

# Called in a worker: must be picklable. Raises DeviceFailure.
OpenDevice = Callable[[], Device]


class LocalWorkers:
    """Makes executors with ``count`` workers, each of which opens its device by ``open_device``."""

    def __init__(self, count: int, open_device: OpenDevice, limit_s: float = LIMIT_S) -> None:
        self._count = count
        self._open_device = open_device
        self._limit_s = limit_s

    def __call__(self, setup: GateSetup, _gates: Evaluator, token: CancelToken) -> Executor:
        return LocalExecutor(setup, self._open_device, self._count, token, self._limit_s)


class LocalExecutor(Executor):
    """Workers start with the first batch. One that dies, or takes longer than ``limit_s``, is a failed evaluation
    and is replaced; a worker that can't even open its device raises what opening raised."""

    def __init__(
        self, setup: GateSetup, open_device: OpenDevice, count: int, token: CancelToken, limit_s: float = LIMIT_S
    ) -> None:
        self._setup = setup
        self._open_device = open_device
        self._count = count
        self._token = token
        self._limit_s = limit_s
        self._workers: list[LocalWorker] = []

    @property
    def kind(self) -> str:
        return LOCAL

    @property
    def workers(self) -> int:
        return self._count

    def evaluate(self, candidates: Sequence[Candidate], baseline: Evaluation) -> Generator[Evaluation]:
        waiting = deque(enumerate(candidates))
        done: dict[int, Evaluation] = {}
        advance = partial(self._advance, waiting, done, baseline)
        try:
            yield from in_order(len(candidates), done, advance, lambda: bool(self._busy()), self._token)
        finally:
            # Only of a batch that was given up: what still runs is of no use to anyone.
            self._end(self._busy())

    def close(self) -> None:
        self._end(self._workers)

    def _busy(self) -> list[LocalWorker]:
        return [worker for worker in self._workers if worker.busy]

    def _advance(
        self,
        waiting: deque[tuple[int, Candidate]],
        done: dict[int, Evaluation],
        baseline: Evaluation,
        patience_s: float,
    ) -> None:
        """Give work to who has none and take what is ready, for which it waits at most ``patience_s``."""
        lacking = self._count - len(self._workers)
        self._workers += [LocalWorker(self._setup, self._open_device) for _ in range(lacking)]
        self._hand_out(waiting, baseline)
        spoke = set(wait([worker.connection for worker in self._workers], patience_s))
        for worker in [*self._workers]:
            number = worker.number
            try:
                if worker.connection in spoke:
                    evaluation = worker.take()
                    if number is not None and evaluation is not None:
                        done[number] = evaluation
                elif worker.overdue(self._limit_s):
                    raise WorkerLost(f"gave no answer in {self._limit_s:g} s")
            except WorkerLost as lost:
                seconds = time.monotonic() - worker.since
                self._end([worker])
                if number is None:
                    raise DeviceFailure("run", f"a worker process {lost} before it could evaluate anything.") from None
                done[number] = lost_worker(f"the worker that evaluated it {lost}.", seconds)

        # The others compute while the caller is busy with what is done.
        self._hand_out(waiting, baseline)

    def _hand_out(self, waiting: deque[tuple[int, Candidate]], baseline: Evaluation) -> None:
        for worker in self._workers:
            if worker.ready and not worker.busy and waiting and not self._token.paused:
                number, candidate = waiting.popleft()
                worker.begin(number, candidate, baseline)

    def _end(self, workers: Sequence[LocalWorker]) -> None:
        gone = list(workers)
        self._workers = [worker for worker in self._workers if worker not in gone]
        end_workers(gone)
