"""Matmul tilings keep every documented constraint of TCubeTiling, on chips that split and on one that does not."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ascendopt.harness.devices.model.host_build import build_host
from ascendopt.harness.devices.model.tiling_header import decode, generate_header, parse_structs, struct_for
from ascendopt.harness.devices.model.toolchain import NATIVE, Toolchain

from .conftest import CHIP, COUPLED, SOC, Ask, asking

pytestmark = [pytest.mark.device, pytest.mark.timeout(900)]

HERE = Path(__file__).parent
FLOAT, HALF, INT8 = 0, 1, 2
BYTES = {FLOAT: 4, HALF: 2, INT8: 1}
SHAPES = [(1, 1, 1), (1024, 640, 256), (17, 4000, 77), (8192, 8192, 8192), (16, 16, 100000), (300, 5, 64)]
Cube = dict[str, int]
Tile = Callable[..., Cube]


@pytest.fixture(scope="module")
def ask(driver: Path, toolchain: Toolchain) -> Ask:
    return asking(driver, build_host(HERE / "cube_share", toolchain, toolchain.root, SOC))


@pytest.fixture(scope="module")
def structs(ask: Ask) -> Any:
    return parse_structs(ask("describe"))


@pytest.fixture(scope="module")
def tile(ask: Ask, structs: Any) -> Tile:
    def run(shape: tuple[int, int, int], dim: int, dtype: int, *attrs: str, chip: str = CHIP) -> Cube:
        sizes = zip(("m", "n", "k", "dim", "type"), (*shape, dim, dtype), strict=True)
        lines = [f"attr {name} int {value}" for name, value in sizes]
        answer = ask("tile", "op CubeShare", *lines, *attrs, chip=chip)
        assert answer["ok"], answer
        struct = struct_for(structs, "CubeShare", 0)
        assert struct is not None
        values = decode(bytes.fromhex(answer["tiling"]), struct, structs)
        return {name.removeprefix("cube."): value for name, value in values.items()}  # type: ignore[misc]

    return run


def memory(chip: str) -> dict[str, int]:
    words = chip.split()
    return dict(zip(("l1", "l0a", "l0b", "l0c"), map(int, words[6:10]), strict=True))


def check(cube: Cube, dtype: int, chip: str, *, bias: bool) -> None:
    """Table 2 of the documentation of TCubeTiling."""
    size, room = BYTES[dtype], memory(chip)
    m, n, k = cube["baseM"], cube["baseN"], cube["baseK"]
    assert m > 0 and m % 16 == 0 and n > 0 and n % 16 == 0
    assert k > 0 and k % max(16, 32 // size) == 0
    assert cube["dbL0A"] in (1, 2) and m * k * size * cube["dbL0A"] <= room["l0a"]
    assert cube["dbL0B"] in (1, 2) and n * k * size * cube["dbL0B"] <= room["l0b"]
    assert cube["dbL0C"] in (1, 2) and m * n * 4 * cube["dbL0C"] <= room["l0c"]
    assert cube["depthA1"] in (cube["stepM"] * cube["stepKa"], 2 * cube["stepM"] * cube["stepKa"])
    assert cube["depthB1"] in (cube["stepN"] * cube["stepKb"], 2 * cube["stepN"] * cube["stepKb"])
    held = m * k * size * cube["depthA1"] + n * k * size * cube["depthB1"] + (4 * n if bias else 0)
    assert held == cube["shareL1Size"] <= room["l1"]
    if bias:
        assert n * 4 <= 1024
    rounds = [math.ceil(cube["singleCoreK"] / (k * cube[step])) for step in ("stepKa", "stepKb")]
    assert max(rounds) % min(rounds) == 0
    if rounds[0] > 1:
        assert cube["stepM"] == cube["stepN"] == 1


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("dtype", "chip", "bias"), [(HALF, CHIP, True), (FLOAT, CHIP, False), (INT8, COUPLED, True)])
def test_one_core(tile: Tile, shape: tuple[int, int, int], dtype: int, chip: str, bias: bool) -> None:
    cube = tile(shape, 0, dtype, f"attr bias bool {int(bias)}", chip=chip)
    check(cube, dtype, chip, bias=bias)
    assert (cube["singleCoreM"], cube["singleCoreN"], cube["singleCoreK"]) == shape
    assert (cube["M"], cube["N"], cube["Ka"], cube["Kb"]) == (*shape, shape[2])
    assert (cube["usedCoreNum"], cube["isBias"], cube["iterateOrder"]) == (1, int(bias), 0)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dim", [1, 2, 24])
def test_cores_share_the_result(tile: Tile, shape: tuple[int, int, int], dim: int) -> None:
    cube = tile(shape, dim, HALF)
    check(cube, HALF, CHIP, bias=False)
    rows, columns = (
        math.ceil(whole / cube[part]) for whole, part in zip(shape[:2], ("singleCoreM", "singleCoreN"), strict=True)
    )
    assert cube["usedCoreNum"] == rows * columns == cube["mDim"] * cube["nDim"] <= dim
    assert cube["singleCoreK"] == shape[2]


def test_large_products_use_all_cores_evenly(tile: Tile) -> None:
    cube = tile((8192, 8192, 8192), 24, HALF)
    assert cube["usedCoreNum"] >= 22
    assert cube["singleCoreM"] * cube["singleCoreN"] <= 1.1 * 8192 * 8192 / 24


def test_the_block_is_the_recommended_one(tile: Tile) -> None:
    """128 x 256 x 64 for half, in either direction, with both L0 buffers doubled."""
    cube = tile((8192, 8192, 8192), 0, HALF)
    assert sorted((cube["baseM"], cube["baseN"])) == [128, 256]
    assert (cube["baseK"], cube["dbL0A"], cube["dbL0B"]) == (64, 2, 2)


def test_what_is_asked_for_is_kept(tile: Tile) -> None:
    cube = tile((1024, 640, 256), 2, HALF, "attr base_m int 128", "attr base_n int 64", "attr l1 int 65536")
    assert (cube["baseM"], cube["baseN"]) == (128, 64)
    assert cube["shareL1Size"] <= 65536


def test_k_is_shared_only_when_allowed(tile: Tile) -> None:
    assert tile((16, 16, 100000), 24, HALF)["usedCoreNum"] == 1
    cube = tile((16, 16, 100000), 24, HALF, "attr split_k bool 1")
    assert 20 <= cube["usedCoreNum"] <= 24
    assert cube["usedCoreNum"] == math.ceil(100000 / cube["singleCoreK"])


def test_what_can_not_be_tiled_is_refused(ask: Ask) -> None:
    sizes = [f"attr {name} int {value}" for name, value in zip("mnk", (64, 64, 64), strict=True)]
    lines = (
        "op CubeShare",
        *sizes,
        "attr dim int 0",
        "attr type int 1",
        "attr base_m int 4096",
        "attr base_n int 4096",
    )
    assert "returned failure" in ask("tile", *lines)["reason"]


def test_the_kernel_sees_the_same_layout(structs: Any, toolchain: Toolchain, tmp_path: Path) -> None:
    source = tmp_path / "kernel.cpp"
    source.write_text(
        generate_header(structs, "CubeShare")
        + 'static_assert(sizeof(TCubeTiling) == 200, "50 numbers");\n'
        + "AscendC::tiling::TCubeTiling& f(CubeShareTiling& t) { return t.cube; }\n"
    )
    command = [*toolchain.compiler.argv, "-std=c++17", "-fsyntax-only", f"-I{NATIVE / 'include' / 'kernel'}", source]
    subprocess.run(command, capture_output=True, timeout=120, check=True)
