"""The runtime, built once into the user's cache, and the kernels of this folder on top of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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


def opened(name: str) -> Callable[..., Iterator[KernelRunner]]:
    """A fixture that compiles ``name``.cpp once."""

    @pytest.fixture(scope="session", name=name)
    def runner(program: Path, toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KernelRunner]:
        made = KernelRunner(HERE / f"{name}.cpp", program, toolchain, tmp_path_factory.mktemp(name))
        yield made
        made.close()

    return runner


class Seeded:
    """The files of ``seeded``, each compiled when a test first asks for it."""

    def __init__(self, program: Path, toolchain: Toolchain, folder: Path) -> None:
        self._make = lambda name: KernelRunner(HERE / "seeded" / f"{name}.cpp", program, toolchain, folder / name)
        self._folder = folder
        self._open: dict[str, KernelRunner] = {}

    def family(self, name: str) -> KernelRunner:
        if name not in self._open:
            (self._folder / name).mkdir()
            self._open[name] = self._make(name)
        return self._open[name]

    def close(self) -> None:
        for runner in self._open.values():
            runner.close()


@pytest.fixture(scope="session")
def seeded(program: Path, toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seeded]:
    made = Seeded(program, toolchain, tmp_path_factory.mktemp("seeded"))
    yield made
    made.close()


copies = opened("copies")
moves = opened("moves")
cores = opened("cores")
mix = opened("mix")
pointers = opened("pointers")
repeated = opened("repeated")
