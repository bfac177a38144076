"""The host library and the operator of these tests, built once and kept in the user cache by content."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ascendopt.harness.devices.model.cache import replacing
from ascendopt.harness.devices.model.compiler import ToolchainError
from ascendopt.harness.devices.model.host_build import build_host
from ascendopt.harness.devices.model.runtime_build import _object as native_object
from ascendopt.harness.devices.model.toolchain import NATIVE, Toolchain

HERE = Path(__file__).parent
SOC = "Ascend910B2"
# name, short name, cube and vector cores, UB, L1, L0A, L0B, L0C, L2, HBM, library workspace
CHIP = "chip Ascend910B2 Ascend910B 24 48 196352 524288 65536 65536 131072 201326592 68719476736 16777216"
COUPLED = "chip Ascend910A Ascend910 32 0 262144 1048576 65536 65536 262144 33554432 0 2097152"

Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    try:
        return Toolchain()
    except ToolchainError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def driver(toolchain: Toolchain) -> Path:
    # The library's objects are those of the device's runtime, so nothing is compiled twice.
    sources = [*sorted((NATIVE / "host").glob("*.cpp")), NATIVE / "sim" / "json.cpp"]
    library = [native_object(toolchain, source) for source in sources]
    source = HERE / "driver.cpp"
    target = toolchain.root / "test-host-driver" / toolchain.key(source.read_bytes(), *(p.name for p in library))
    if not target.exists():
        with replacing(target) as temporary:
            command = [*toolchain.compiler.argv, "-std=c++17", "-O0", f"-I{NATIVE / 'host'}", "-rdynamic", str(source)]
            subprocess.run([*command, *map(str, library), "-o", str(temporary), "-ldl"], check=True, timeout=900)
            temporary.chmod(0o755)
    return target


@pytest.fixture(scope="session")
def every_form(toolchain: Toolchain) -> Path:
    return build_host(HERE / "every_form", toolchain, toolchain.root, SOC)


def asking(driver: Path, host: Path) -> Ask:
    """Requests to ``driver`` about the host object ``host``."""

    def run(command: str, *lines: str, chip: str = CHIP) -> dict[str, Any]:
        text = "\n".join((chip, *lines))
        done = subprocess.run(
            [driver, host, command], input=text, capture_output=True, text=True, timeout=60, check=True
        )
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="session")
def ask(driver: Path, every_form: Path) -> Ask:
    return asking(driver, every_form)
