"""The kernels of this folder, compiled once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.model.kernels.kernel_runner import KernelRunner

from ascendopt.harness.devices.model.runtime_build import build_runtime
from ascendopt.harness.devices.model.toolchain import Toolchain

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def products(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KernelRunner]:
    toolchain = Toolchain()
    folder = tmp_path_factory.mktemp("products")
    runner = KernelRunner(HERE / "products.cpp", build_runtime(toolchain), toolchain, folder)
    yield runner
    runner.close()
