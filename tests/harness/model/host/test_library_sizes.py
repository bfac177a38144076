"""Temporary sizes and tilings of the kernel library's functions, for 20 rows of 128 elements.

The expected bytes are worked out by hand from the formulas of the host library's README.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendopt.harness.devices.base import BuildOptions
from ascendopt.harness.devices.model.device import ModelDevice
from ascendopt.harness.devices.model.toolchain import Toolchain
from ascendopt.harness.workload import Case, TensorSpec

from .conftest import SOC

pytestmark = [pytest.mark.device, pytest.mark.timeout(900)]

Values = dict[str, object]


@pytest.fixture(scope="module")
def told(toolchain: Toolchain) -> dict[str, Values]:
    """The tiling values by dtype."""
    device = ModelDevice(SOC, cache=toolchain.root)
    try:
        built = device.build(Path(__file__).parent / "sizes", BuildOptions(SOC))
        return {dtype: dict(built.tile(case(dtype)).values) for dtype in ("float16", "float32")}
    finally:
        device.close()


def case(dtype: str) -> Case:
    return Case("c", (TensorSpec("x", dtype, ((20, 128),)),), (TensorSpec("y", dtype, ((20, 128),)),), {})


# Pairs of largest and smallest.
SIZES = {
    # GeGLU 4 and SwiGLU 6 temporaries with half; Gelu 3 and DropOut 2 in float; Select the mask as half and 512 bytes.
    ("float16", "activations"): [20480, 1024, 30720, 1536, 30720, 768, 20480, 512, 5632, 5632],
    ("float32", "activations"): [0, 0, 0, 0, 30720, 768, 20480, 512, 5632, 5632],
    # LayerNorm 3 x data + 2 x moments; RmsNorm data + a value a row; Normalize 2 rows + 2 x data in eights;
    # WelfordUpdate 2 repeats for each 64 elements; GroupNorm [2, 4, 3, 5] in 2 groups: images of 16 elements.
    ("float32", "norms"): [30912, 1728, 10336, 544, 25600, 1024, 20480, 512, 1600, 448],
    # Quant 2 x n; Dequant scales, a block, a repeat and rows; half needs nothing to come back; a row of 256 bytes is
    # summed by one instruction; 16 of 20 rows of a maximum over the first axis.
    ("float16", "quants"): [5120, 512, 11040, 1312, 0, 0, 0, 0, 4096, 4096],
    ("float32", "quants"): [5120, 512, 11040, 1312, 6144, 6144, 5120, 5120, 8192, 8192],
    # Pad 2 blocks an element; Transpose 0213 with A2 = 20; TopK of 64: 20 bytes each; 2 rows: 12 each and a mask;
    # CumSum along rows transposed in sixteens.
    ("float32", "layouts"): [163840, 1024, 2048, 1024, 1280, 1280, 1568, 1568, 32768, 16384],
}


@pytest.mark.parametrize(("dtype", "name"), SIZES)
def test_temporary_sizes(told: dict[str, Values], dtype: str, name: str) -> None:
    assert told[dtype][name] == tuple(SIZES[dtype, name])


def test_a_shape_or_room_that_does_not_fit_is_refused(told: dict[str, Values]) -> None:
    # RmsNorm with room, with a byte too little, with rows that count more than they have; DeepNorm as it should be
    # (whose tiling says 125), and as basic blocks of which not all elements count.
    assert told["float32"]["taken"] == (1, 0, 0, 1, 125, 0)


TILINGS = {
    # Room for three rows beside the moments: six turns, and two rows left.
    "layer_norm": {"bLength": 1, "sLength": 20, "hLength": 128, "originalHLength": 125, "loopRound": 6,
                   "inputTailSize": 256, "meanVarTailSize": 2},
    "rms_norm": {"sLength": 20, "hLength": 128, "originalHLength": 125, "mainBsLength": 2, "loopRound": 10},
    "group_norm": {"n": 2, "c": 4, "hw": 15, "g": 2, "d": 2, "hwAlignSize": 16, "dhwAlignSize": 32, "loopRound": 1},
    "pad": {"srcHeight": 20, "srcWidth": 128, "srcOriWidth": 125},
    "transpose": {"param0": 1, "param1": 1, "param2": 20, "param3": 128},
    "top_k": {"allDataSize": 128, "innerDataSize": 128, "kAlignFourBytes": 8, "kAlignTwoBytes": 16},
}  # fmt: skip


@pytest.mark.parametrize("name", TILINGS)
def test_tilings(told: dict[str, Values], name: str) -> None:
    read = {field: told["float32"][f"{name}.{field}"] for field in TILINGS[name]}
    assert read == TILINGS[name]
