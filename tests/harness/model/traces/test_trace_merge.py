"""Which cores share a trace: those whose time can't differ, and no others."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ascendopt.harness.devices.model.compiler import ToolchainError
from ascendopt.harness.devices.model.toolchain import NATIVE, Toolchain

HERE = Path(__file__).parent
Transfer = tuple[str, int, int]


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        toolchain = Toolchain()
    except ToolchainError as error:
        pytest.skip(str(error))
    target = tmp_path_factory.mktemp("traces") / "driver"
    sources = [HERE / "driver.cpp", NATIVE / "rt" / "trace_merge.cpp"]
    command = [*toolchain.compiler.argv, "-std=c++17", "-O1", f"-I{NATIVE}", *map(str, sources), "-o", str(target)]
    subprocess.run(command, check=True, timeout=300)
    return target


def merged(driver: Path, *cores: list[Transfer]) -> tuple[list[int], list[list[str]]]:
    """The trace of each core, and the transfers of each trace as ``address:fresh:event``."""
    words: list[object] = [len(cores)]
    for core in cores:
        words.append(len(core))
        for kind, address, fresh in core:
            words += [int(kind == "load"), address, fresh]
    text = subprocess.run(
        [driver], input=" ".join(map(str, words)), capture_output=True, text=True, check=True, timeout=60
    ).stdout.splitlines()
    return [int(word) for word in text[0].split()], [line.split() for line in text[1:]]


def test_equal_places_in_a_granule_share_at_once(driver: Path) -> None:
    cores, traces = merged(driver, [("load", 0, 1)], [("load", 512, 1)], [("load", 512, 0)])
    assert cores == [0, 0, 0]
    assert traces == [["0:2:0"]]


def test_cores_that_read_one_address_are_counted(driver: Path) -> None:
    cores, traces = merged(driver, [("load", 64, 1)], [("load", 64, 0)], [("load", 64, 0)])
    assert cores == [0, 0, 0]
    assert traces == [["64:1:2"]]


def test_places_of_equal_alignment_share(driver: Path) -> None:
    # 32, 96 and 160 start on 32 B, 64 on 64 B, 512 and 1024 on the granule.
    starts = (32, 96, 160, 64, 512, 1024)
    cores, traces = merged(driver, *[[("load", start, 1), ("store", start + 4096, 0)] for start in starts])
    assert cores == [0, 0, 0, 1, 2, 2]
    assert [trace[0] for trace in traces] == ["32:3:0", "64:1:0", "512:2:0"]


def test_data_that_another_core_brought_in_keep_traces_apart(driver: Path) -> None:
    # The second core finds its data in the cache, the first does not.
    assert merged(driver, [("load", 32, 1)], [("load", 96, 0)])[0] == [0, 1]
    # Of the two cores at 32 one brings the data in: one core at 96 that does so takes another time.
    assert merged(driver, [("load", 32, 1)], [("load", 32, 0)], [("load", 96, 1)])[0] == [0, 0, 1]


def test_reuse_within_a_core_keeps_traces_apart(driver: Path) -> None:
    again = [("load", 32, 1), ("load", 32, 0)]
    other = [("load", 96, 1), ("load", 608, 0)]
    assert merged(driver, again, other)[0] == [0, 1]
    assert merged(driver, other, again)[0] == [0, 1]
    assert merged(driver, again, [("load", 160, 1), ("load", 160, 0)])[0] == [0, 0]
