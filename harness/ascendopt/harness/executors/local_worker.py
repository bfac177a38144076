"""A worker process as its executor sees it: started, given one candidate at a time, ended."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Pipe

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.devices.base import Device
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.executors.base import GateSetup

# What a worker gets to end its device and remove its folders before it is killed.
GRACE_S = 0.7
# Opening a device may build what it needs.
START_S = 900.0

# The same modules as here, however this process came to them; nothing of the environment adds to them.
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from ascendopt.harness.executors.worker_main import main; main(int(sys.argv[2]), int(sys.argv[3]))"
)


class WorkerLost(RuntimeError):
    """A worker that died or hung; the text continues the sentence 'the worker ...'."""


class LocalWorker:
    """One process. ``connection`` carries pickled messages; ``number`` is that of the candidate in work.

    Its session is its own, so that a Ctrl-C in the terminal reaches only us. It notices when we die, by a pipe of
    which it holds one end, and ends itself.
    """

    def __init__(self, setup: GateSetup, open_device: Callable[[], Device]) -> None:
        self.ready = False
        self.number: int | None = None
        self.since = time.monotonic()
        self.connection, theirs = Pipe()
        their_end, self._lifeline = os.pipe()
        argv = [sys.executable, "-I", "-c", _START, json.dumps(sys.path), str(theirs.fileno()), str(their_end)]
        try:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(), their_end),
                start_new_session=True,
            )
        finally:
            theirs.close()
            os.close(their_end)
        with contextlib.suppress(OSError):
            self.connection.send((setup, open_device))

    @property
    def busy(self) -> bool:
        """It evaluates a candidate."""
        return self.number is not None

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    def begin(self, number: int, candidate: Candidate, baseline: Evaluation) -> None:
        """Hand it a candidate. A worker that is gone is noticed when its answer is taken."""
        self.number = number
        self.since = time.monotonic()
        with contextlib.suppress(OSError):
            self.connection.send((candidate, baseline))

    def take(self) -> Evaluation | None:
        """What it says: the evaluation, or None, that it is ready.

        Raises WorkerLost, and whatever opening the device or the gates raised there.
        """
        try:
            said: Evaluation | Exception | None = self.connection.recv()
        except (EOFError, OSError):
            raise WorkerLost(self._ending()) from None
        if isinstance(said, Exception):
            raise said
        self.ready = True
        self.number = None
        return said

    def overdue(self, limit_s: float) -> bool:
        """It was started, or given a candidate, longer ago than that and has not answered."""
        if not self.ready:
            limit_s = max(limit_s, START_S)
        return (self.busy or not self.ready) and time.monotonic() - self.since > limit_s

    def let_go(self) -> None:
        """Tell it to end."""
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1

    def end(self, deadline: float) -> None:
        """Wait for its end until ``deadline`` (``time.monotonic``), then kill it."""
        self.let_go()
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()
        self.connection.close()

    def _ending(self) -> str:
        try:
            code = self._process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            return "closed its connection"
        return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


def end_workers(workers: Sequence[LocalWorker]) -> None:
    """End all of them, at the same time."""
    deadline = time.monotonic() + GRACE_S
    for worker in workers:
        worker.let_go()
    for worker in workers:
        worker.end(deadline)
