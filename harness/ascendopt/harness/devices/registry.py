"""Devices by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ascendopt.harness.devices.base import Device, DeviceFailure


@dataclass(frozen=True)
class DeviceInfo:
    """One line of ``ascendopt device list``: usable or not, and why not."""

    name: str
    modelled: bool
    usable: bool
    detail: str
    chips: tuple[str, ...]


def device_names() -> tuple[str, ...]:
    """Names that ``get_device`` takes."""
    return ("model",)


def get_device(
    name: str,
    soc: str,
    *,
    compiler: str | None = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> Device:
    """The device ``name`` for the chip ``soc``, ready to build.

    ``compiler`` is a C++ compiler that the user set; ``progress`` is called with (done, total, what) while
    the model device's runtime is built. Raises DeviceFailure with one sentence.
    """
    if name != "model":
        raise DeviceFailure("compile", f"there is no device '{name}'; known are {', '.join(device_names())}.")
    from ascendopt.harness.devices.model.device import ModelDevice

    device = ModelDevice(soc, compiler=compiler)
    device.prepare(progress)
    return device


def list_devices() -> list[DeviceInfo]:
    """Every device and whether it can be used here. Builds nothing."""
    from ascendopt.harness.devices.model.chip_facts import modelled_chips
    from ascendopt.harness.devices.model.compiler import ToolchainError, find_compiler

    try:
        detail, usable = find_compiler().display, True
    except ToolchainError as error:
        detail, usable = str(error), False
    return [DeviceInfo("model", True, usable, detail, modelled_chips())]
