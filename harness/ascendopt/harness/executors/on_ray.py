"""Evaluates on the workers of a Ray cluster: other machines, other devices."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import partial

from ascendopt.harness.cancelling import CancelToken
from ascendopt.harness.candidate import Candidate
from ascendopt.harness.devices.base import Capabilities, DeviceFailure
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.executors.base import RAY, Executor, ExecutorError, GateSetup, lost_worker
from ascendopt.harness.executors.in_order import in_order
from ascendopt.harness.executors.local import LIMIT_S, OpenDevice
from ascendopt.harness.executors.local_worker import START_S
from ascendopt.harness.executors.ray_cluster import DEVICES, Answer, Cluster, ClusterWorker, WorkerGone
from ascendopt.harness.executors.ray_worker import AlikeDevice
from ascendopt.harness.executors.shipping import ship
from ascendopt.harness.gates.evaluator import Evaluator

# Workers that end before they are ready, or with the same candidate, are not replaced more often than that.
MAX_LOSSES = 3


class RayWorkers:
    """Makes executors on ``cluster`` with at most ``count`` workers, as many as it has room for.

    ``open_device`` is called on worker nodes and must give a device like that of the run, which is ``expected``.
    Raises ExecutorError when there is no room at all.
    """

    def __init__(
        self,
        cluster: Cluster,
        open_device: OpenDevice,
        expected: Capabilities,
        count: int | None = None,
        limit_s: float = LIMIT_S,
    ) -> None:
        room = cluster.room(expected.modelled)
        if room < 1:
            raise ExecutorError(f"the Ray cluster has no {'CPU' if expected.modelled else DEVICES} for a worker.")
        self._cluster = cluster
        self._open_device = AlikeDevice(open_device, expected)
        self.count = min(room, count or room)
        self._limit_s = limit_s

    def __call__(self, setup: GateSetup, _gates: Evaluator, token: CancelToken) -> Executor:
        return RayExecutor(setup, self._cluster, self._open_device, self.count, token, self._limit_s)


@dataclass
class _Place:
    """A worker, and what it is asked: to make ready, a candidate with its number, or nothing."""

    worker: ClusterWorker
    answer: Answer | None
    ready: bool = False
    number: int | None = None
    candidate: Candidate | None = None


class RayExecutor(Executor):
    """Workers start with the first batch. A candidate whose worker is lost (its node went down) is given to another."""

    def __init__(
        self,
        setup: GateSetup,
        cluster: Cluster,
        open_device: AlikeDevice,
        count: int,
        token: CancelToken,
        limit_s: float = LIMIT_S,
    ) -> None:
        self._cluster = cluster
        self._open_device = open_device
        self._count = count
        self._token = token
        self._limit_s = limit_s
        self._shipment = cluster.shared(ship(setup))
        self._places: list[_Place] = []
        self._stillborn = 0
        self._alone_since = time.monotonic()

    @property
    def kind(self) -> str:
        return RAY

    @property
    def workers(self) -> int:
        return self._count

    def evaluate(self, candidates: Sequence[Candidate], baseline: Evaluation) -> Generator[Evaluation]:
        waiting = deque(enumerate(candidates))
        done: dict[int, Evaluation] = {}
        losses: Counter[int] = Counter()
        advance = partial(self._advance, waiting, done, losses, baseline)
        try:
            yield from in_order(len(candidates), done, advance, lambda: bool(self._busy()), self._token)
        finally:
            # Only of a batch that was given up: what still runs is of no use to anyone.
            self._end(self._busy())

    def close(self) -> None:
        self._end(self._places)

    def _busy(self) -> list[_Place]:
        return [place for place in self._places if place.number is not None]

    def _advance(
        self,
        waiting: deque[tuple[int, Candidate]],
        done: dict[int, Evaluation],
        losses: Counter[int],
        baseline: Evaluation,
        patience_s: float,
    ) -> None:
        """Give work to who has none and take what is ready, for which it waits at most ``patience_s``."""
        self._fill()
        self._hand_out(waiting, baseline)
        asked = [place.answer for place in self._places if place.answer is not None]
        arrived = self._cluster.arrived(asked, patience_s)
        for place in [place for place in self._places if place.answer in arrived]:
            number, candidate = place.number, place.candidate
            try:
                evaluation = self._said(place)
            except WorkerGone as gone:
                self._end([place])
                if number is None or candidate is None:
                    self._not_replaced_for_ever(gone)
                    continue
                losses[number] += 1
                if losses[number] < MAX_LOSSES:
                    waiting.appendleft((number, candidate))
                else:
                    done[number] = lost_worker(f"its worker was lost {MAX_LOSSES} times: {gone}.", 0.0)
                continue
            if number is not None and evaluation is not None:
                done[number] = evaluation
        # The others compute while the caller is busy with what is done.
        self._hand_out(waiting, baseline)

    def _hand_out(self, waiting: deque[tuple[int, Candidate]], baseline: Evaluation) -> None:
        for place in self._places:
            if place.ready and place.number is None and waiting and not self._token.paused:
                place.number, place.candidate = waiting.popleft()
                place.answer = place.worker.evaluate(place.candidate, baseline)

    def _said(self, place: _Place) -> Evaluation | None:
        """Take the answer that has arrived at ``place``. Raises WorkerGone, and whatever speaks against the worker."""
        assert place.answer is not None
        said: Evaluation | Exception | None = self._cluster.value(place.answer)
        place.answer = place.number = place.candidate = None
        if isinstance(said, Exception):
            raise said
        place.ready = True
        self._stillborn = 0
        return said

    def _fill(self) -> None:
        """As many workers as there shall be. Raises DeviceFailure when none comes to be."""
        if not self._places or any(place.ready for place in self._places):
            self._alone_since = time.monotonic()
        for _ in range(self._count - len(self._places)):
            worker = self._cluster.worker(self._shipment, self._open_device, self._limit_s)
            self._places.append(_Place(worker, worker.open()))
        if time.monotonic() - self._alone_since > START_S:
            raise DeviceFailure("run", f"no worker of the Ray cluster became ready in {START_S:g} s.")

    def _not_replaced_for_ever(self, gone: WorkerGone) -> None:
        self._stillborn += 1
        if self._stillborn >= MAX_LOSSES * self._count:
            raise DeviceFailure("run", f"no worker of the Ray cluster could be started: {gone}.") from gone

    def _end(self, places: Sequence[_Place]) -> None:
        gone = list(places)
        self._places = [place for place in self._places if place not in gone]
        for place in gone:
            place.worker.end()
