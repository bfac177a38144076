"""A device with short limits and the gate path over it."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from harness.hostile.gate_path import GatePath

from ascendopt.harness.devices.model.device import ModelDevice, ModelOptions, RunLimits


@pytest.fixture(scope="session")
def gates(tmp_path_factory: pytest.TempPathFactory) -> Generator[GatePath]:
    limits = RunLimits(cpu_s=1, memory_mb=256)
    device = ModelDevice("Ascend910B2", options=ModelOptions(limits=limits))
    with GatePath(device, tmp_path_factory.mktemp("hostile")) as path:
        yield path
    device.close()


@pytest.fixture(scope="session")
def secret(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A readable file with a known text, outside of everything that belongs to the operator."""
    place = tmp_path_factory.mktemp("elsewhere") / "secret.h"
    place.write_text("#define SECRET_TOKEN 424242\n#error the-secret-text\n")
    return place
