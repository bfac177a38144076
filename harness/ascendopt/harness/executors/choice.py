"""The executor that a user names."""

from __future__ import annotations

from ascendopt.harness.devices.base import Device
from ascendopt.harness.executors.base import LOCAL, RAY, ExecutorError, ExecutorFactory
from ascendopt.harness.executors.here import InProcess
from ascendopt.harness.executors.local import LocalWorkers, OpenDevice


class Executors:
    """``name`` is ``local``: in this process for one worker, else that many processes beside it. Or ``ray``, or
    ``ray:HOST:PORT``: at most that many workers of a cluster, by default all that it has room for.

    Raises ExecutorError.
    """

    def __init__(self, name: str = LOCAL, workers: int | None = None) -> None:
        kind, _, address = name.partition(":")
        if kind not in (LOCAL, RAY) or (kind == LOCAL and address):
            raise ExecutorError(f"there is no executor '{name}'; known are {LOCAL}, {RAY} and {RAY}:HOST:PORT.")
        self._workers = workers
        self._cluster = None
        if kind == RAY:
            from ascendopt.harness.executors.ray_cluster import Cluster

            self._cluster = Cluster(address or None)

    def factory(self, device: Device, open_device: OpenDevice) -> ExecutorFactory:
        """The executors of runs on ``device``; workers open one like it by ``open_device``. Raises ExecutorError."""
        if self._cluster is not None:
            from ascendopt.harness.executors.on_ray import RayWorkers

            return RayWorkers(self._cluster, open_device, device.capabilities, self._workers)
        count = self._workers or 1
        return InProcess if count == 1 else LocalWorkers(count, open_device)
