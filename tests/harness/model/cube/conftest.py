"""The kernels of this folder, compiled once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.model.kernels.kernel_runner import KernelRunner

from ascendopt.harness.devices.model.runtime_build import build_runtime
from ascendopt.harness.devices.model.toolchain import Toolchain

HERE = Path(__file__).parent


def compiled(name: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KernelRunner]:
    toolchain = Toolchain()
    runner = KernelRunner(HERE / f"{name}.cpp", build_runtime(toolchain), toolchain, tmp_path_factory.mktemp(name))
    yield runner
    runner.close()


@pytest.fixture(scope="session")
def products(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KernelRunner]:
    yield from compiled("products", tmp_path_factory)


@pytest.fixture(scope="session")
def matmuls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KernelRunner]:
    yield from compiled("matmuls", tmp_path_factory)


@pytest.fixture(scope="session")
def batches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KernelRunner]:
    yield from compiled("batches", tmp_path_factory)
