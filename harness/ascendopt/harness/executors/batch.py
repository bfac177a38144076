"""One batch of a search on its way through an executor."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Sequence
from contextlib import closing

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.executors.base import Executor


class Batch:
    """The evaluations of ``candidates``, taken in their order.

    Nothing is evaluated before the first that is asked for: those before it were found in the journal. At most as
    many are handed over as may be paid for, so that none is evaluated in vain. ``close`` gives up the rest.
    """

    def __init__(self, executor: Executor, candidates: Sequence[Candidate], baseline: Evaluation) -> None:
        self._executor = executor
        self._candidates = list(candidates)
        self._baseline = baseline
        self._handed: deque[Candidate] = deque()
        self._stream: Generator[Evaluation] | None = None

    def evaluation(self, candidate: Candidate, room: int) -> Evaluation:
        """That of ``candidate``, one of the batch; ``room`` is how many more may be paid for, it included."""
        if not self._handed:
            self.close()
            start = self._candidates.index(candidate)
            self._handed = deque(self._candidates[start : start + room])
            self._stream = self._executor.evaluate(list(self._handed), self._baseline)
        assert self._stream is not None and self._handed[0] is candidate
        self._handed.popleft()
        return next(self._stream)

    def close(self) -> None:
        """End what still runs of the batch."""
        if self._stream is not None:
            with closing(self._stream):
                self._stream = None
