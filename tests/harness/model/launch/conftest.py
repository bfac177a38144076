"""One device for all programs, and a call that builds and runs one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ascendopt.harness.devices.base import BuildOptions
from ascendopt.harness.devices.model.device import ModelDevice
from ascendopt.harness.devices.programs import ProgramRun

PROGRAMS = Path(__file__).parent / "programs"
Ran = Callable[..., ProgramRun]


@pytest.fixture(scope="session")
def model() -> Iterator[ModelDevice]:
    device = ModelDevice("Ascend910B2")
    yield device
    device.close()


@pytest.fixture
def ran(model: ModelDevice, tmp_path: Path) -> Ran:
    def run(name: str, **defines: str) -> ProgramRun:
        program = model.program(PROGRAMS / name, BuildOptions("Ascend910B2", defines))
        return program.run(tmp_path)

    return run


def line_of(name: str, mark: str = "HERE") -> int:
    """The line of a program that carries the comment ``mark``."""
    lines = (PROGRAMS / name).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if f"// {mark}" in line)
