"""Kernels of this folder, each file compiled once on top of the runtime in the user's cache."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness.model.kernels.kernel_runner import KernelRunner, Ran

from ascendopt.harness.devices.model.runtime_build import build_runtime
from ascendopt.harness.devices.model.toolchain import Toolchain

HERE = Path(__file__).parent

Array = np.ndarray[Any, Any]
Runner = Callable[..., Ran]


@pytest.fixture(scope="module")
def runner(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    """``runner(entry, inputs, outputs, n=..., f=...)`` on the kernels of the file that the module names as KERNELS."""
    toolchain = Toolchain()
    source: str = request.module.KERNELS
    kernels = KernelRunner(HERE / source, build_runtime(toolchain), toolchain, tmp_path_factory.mktemp("composites"))

    def run(entry: str, inputs: list[Array], outputs: list[Array], n: tuple[int, ...] = (), f: tuple[float, ...] = ()
            ) -> Ran:  # fmt: skip
        tiling = struct.pack("<8I4f", *n, *[0] * (8 - len(n)), *f, *[0.0] * (4 - len(f)))
        ran = kernels.run(entry, inputs, outputs, tiling=tiling)
        assert ran.answer["violations"] == [], ran.answer["violations"]
        return ran

    yield run
    kernels.close()
