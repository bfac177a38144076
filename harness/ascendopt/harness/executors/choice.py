"""The executor for a number of workers that a user names."""

from __future__ import annotations

from ascendopt.harness.executors.base import ExecutorFactory
from ascendopt.harness.executors.here import InProcess
from ascendopt.harness.executors.local import LocalWorkers, OpenDevice


def executors(workers: int, open_device: OpenDevice) -> ExecutorFactory:
    """In this process for one worker, else that many processes, each of which calls ``open_device``."""
    return InProcess if workers == 1 else LocalWorkers(workers, open_device)
