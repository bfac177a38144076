"""The runtime, built once into the user's cache, and the kernels of this folder on top of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.model.kernels.kernel_runner import KernelRunner

from ascendopt.harness.devices.model.runtime_build import build_runtime
from ascendopt.harness.devices.model.toolchain import Toolchain

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    return Toolchain()


@pytest.fixture(scope="session")
def program(toolchain: Toolchain) -> Path:
    return build_runtime(toolchain)


@pytest.fixture(scope="session")
def seeded(program: Path, toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KernelRunner]:
    runner = KernelRunner(HERE / "seeded.cpp", program, toolchain, tmp_path_factory.mktemp("seeded"))
    yield runner
    runner.close()


@pytest.fixture(scope="session")
def copies(program: Path, toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KernelRunner]:
    runner = KernelRunner(HERE / "copies.cpp", program, toolchain, tmp_path_factory.mktemp("copies"))
    yield runner
    runner.close()
