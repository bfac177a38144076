"""One worker of a Ray cluster, on its node. Needs no Ray itself."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable
from dataclasses import dataclass

from ascendopt.harness.cancelling import CancelToken
from ascendopt.harness.candidate import Candidate
from ascendopt.harness.devices.base import Capabilities, Device, DeviceFailure
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.executors.local import LocalExecutor
from ascendopt.harness.executors.shipping import Shipment
from ascendopt.harness.private_folders import PrivateFolder


def own_version() -> str:
    """That of this package, which all nodes must have."""
    return importlib.metadata.version("ascendopt")


@dataclass(frozen=True)
class AlikeDevice:
    """Opens a device, and refuses one that is not what the journal's header says of the run's."""

    open_device: Callable[[], Device]
    expected: Capabilities

    def __call__(self) -> Device:
        device = self.open_device()
        found = device.capabilities
        if found == self.expected:
            return device
        device.close()
        wanted = f"{self.expected.name} for {self.expected.soc}, sandbox {self.expected.sandbox}"
        reason = f"its device is {found.name} for {found.soc}, sandbox {found.sandbox}; the run's is {wanted}"
        raise DeviceFailure("run", f"worker node {platform.node()} can't take part: {reason}.")


class RayWorker:
    """The class of the actors. Candidates are evaluated in a process of its own, as ``LocalExecutor`` does it: one that
    kills or hangs that process is a failed evaluation. So the end of an actor says nothing of its candidate.
    """

    def __init__(self, shipment: Shipment, open_device: AlikeDevice, limit_s: float, version: str) -> None:
        self._shipment = shipment
        self._open_device = open_device
        self._limit_s = limit_s
        self._version = version
        self._folder: PrivateFolder | None = None
        self._executor: LocalExecutor | None = None

    def open(self) -> Exception | None:
        """Make ready; what speaks against it, if anything."""
        if self._version != own_version():
            reason = f"it has ascendopt {own_version()}, the run {self._version}"
            return DeviceFailure("run", f"worker node {platform.node()} can't take part: {reason}.")
        self._folder = PrivateFolder()
        try:
            setup = self._shipment.unpack(self._folder.path)
        except DeviceFailure as failure:
            return failure
        self._executor = LocalExecutor(setup, self._open_device, 1, CancelToken(), self._limit_s)
        return None

    def evaluate(self, candidate: Candidate, baseline: Evaluation) -> Evaluation | Exception:
        """The evaluation of one candidate, or why there can be none."""
        assert self._executor is not None
        try:
            (evaluation,) = self._executor.evaluate([candidate], baseline)
        except Exception as error:
            return error
        return evaluation
