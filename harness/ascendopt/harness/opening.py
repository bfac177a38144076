"""An operator opened together with the device that it is meant for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from ascendopt.harness.devices.base import BuildOptions, Built, Device
from ascendopt.harness.target import Target, open_device, open_target

Progress = Callable[[int, int, str], None]


class Devices:
    """Devices of one name, one a chip, opened when they are first needed. Leaving the context closes them."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._open: dict[str, Device] = {}

    def __enter__(self) -> Devices:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def on(self, soc: str, progress: Progress | None = None) -> Device:
        """The device for a chip. Raises TargetError, DeviceFailure."""
        if soc not in self._open:
            self._open[soc] = open_device(self._name, soc, progress)
        return self._open[soc]

    def open(
        self,
        operator: Path,
        soc: str | None = None,
        case: str | None = None,
        progress: Progress | None = None,
        use_file: bool = True,
    ) -> tuple[Target, Device]:
        """An operator and the device for its chip.

        Where its workload must be made up, that starts from its compiled host code; without ``use_file`` it is, though
        a file describes it. Raises OperatorError,
        WorkloadFileError, TargetError, DeviceFailure.
        """

        def build(path: Path, chip: str) -> Built:
            return self.on(chip, progress).build(path, BuildOptions(chip))

        target = open_target(operator, soc, case, build, use_file)
        return target, self.on(target.soc, progress)

    def close(self) -> None:
        """Close every device."""
        for device in self._open.values():
            device.close()
        self._open.clear()
