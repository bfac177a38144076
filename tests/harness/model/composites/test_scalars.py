"""Operators on tensors, result registers, raw instructions and the scalar unit's conversions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from harness.model.composites.conftest import HERE, Runner
from harness.model.kernels.kernel_runner import KernelRunner

from ascendopt.harness.devices.model.runtime_build import build_runtime
from ascendopt.harness.devices.model.toolchain import Toolchain

KERNELS = "scalars.cpp"
pytestmark = pytest.mark.timeout(600)


def test_operators_take_whole_tensors(runner: Runner) -> None:
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-3, 4, 128).astype(np.float32) for _ in range(2))
    b[b == 0] = 2
    ran = runner("operators", [a, b], [np.zeros((4, 128), np.float32), np.zeros((6, 128), np.uint8)])
    np.testing.assert_array_equal(ran.outputs[0], np.stack([a + b, a - b, a * b, a / b]))
    flags = np.stack([a < b, a > b, a == b, a <= b, a >= b, a != b])
    np.testing.assert_array_equal(ran.outputs[1][:, :16], np.packbits(flags, axis=1, bitorder="little"))


def test_registers_of_reductions(runner: Runner) -> None:
    x = np.random.default_rng(2).integers(-50, 50, 256).astype(np.float32)
    x[150] = 99
    ran = runner("registers", [x], [np.zeros(7, np.float32)])
    np.testing.assert_array_equal(ran.outputs[0], [x.sum(), x.sum(), 99, 150, 150, x.sum(), x[192:].sum()])


def test_instructions_obey_the_mask(runner: Runner) -> None:
    x = np.arange(256, dtype=np.int16)
    ran = runner("instructions", [x], [np.zeros(512, np.int16)])
    expected = np.full(256, 7, np.int16)
    for first in (0, 128):
        expected[first : first + 8] = 2 * x[first : first + 8]
    np.testing.assert_array_equal(ran.outputs[0][:256], expected)
    np.testing.assert_array_equal(ran.outputs[0][256:].reshape(16, 16), x.reshape(16, 16).T)


def test_four_bits_become_half(runner: Runner) -> None:
    values = np.random.default_rng(4).integers(-8, 8, 256)
    packed = (values[0::2] & 15 | (values[1::2] & 15) << 4).astype(np.uint8)
    ran = runner("four_bits", [packed], [np.zeros(256, np.float16)])
    np.testing.assert_array_equal(ran.outputs[0], np.where(np.arange(256) < 200, values, 50))


def test_a_sum_under_the_mask_that_is_set(runner: Runner) -> None:
    x = np.random.default_rng(5).integers(-50, 50, 256).astype(np.float32)
    ran = runner("masked_sums", [x], [np.zeros(16, np.float32)])
    assert (ran.outputs[0][0], ran.outputs[0][8]) == (x[:200].sum(), x[:40].sum())


@pytest.mark.parametrize("as_meant", [False, True])
def test_repeats_given_as_a_count_are_a_doubt(tmp_path: Path, as_meant: bool) -> None:
    toolchain = Toolchain()
    kernels = KernelRunner(HERE / KERNELS, build_runtime(toolchain), toolchain, tmp_path)
    x = np.random.default_rng(3).integers(-9, 9, 256).astype(np.float32)
    try:
        ran = kernels.run("repeats", [x], [np.zeros(1, np.float32)], tiling=bytes(48), as_meant=as_meant)
    finally:
        kernels.close()
    assert ran.codes("doubt") == {"doubt_reduce_count"}
    assert ran.outputs[0][0] == (x.sum() if as_meant else x[:4].sum())


def test_scalar_conversions(runner: Runner) -> None:
    f = (2.5, -2.5, 1.0006, 3e9)
    ran = runner("scalars", [], [np.zeros(12, np.float16), np.zeros(23, np.int32)], f=f)
    x = np.array(f, np.float32)
    with np.errstate(over="ignore"):
        nearest = x.astype(np.float16)
    np.testing.assert_array_equal(ran.outputs[0][:4], nearest)
    up = np.array([2.5, -2.5, np.nextafter(np.float16(1), np.float16(2)), np.inf], np.float16)
    np.testing.assert_array_equal(ran.outputs[0][4:8], up)
    np.testing.assert_array_equal(ran.outputs[0][8:11], np.array([2.5, -2.5, 1.0], np.float16))
    most = 2**31 - 1
    expected = [[3, -3, 1, most], [2, -2, 1, most], [2, -3, 1, most], [2, -2, 1, most]]
    np.testing.assert_array_equal(ran.outputs[1][:16].reshape(4, 4), expected)
    np.testing.assert_array_equal(ran.outputs[1][16:], [8, 56, 4, 4, 60, 63, 6])


def test_scalar_functions_of_whole_numbers(runner: Runner) -> None:
    ran = runner("whole_numbers", [], [np.zeros(8, np.int32)])
    # 7 / 3 and 6 / 3 rounded up; the smaller of 5 and 9, the larger of -2 and 4; 8 | 2; 10 without 8.
    assert ran.outputs[0].tolist() == [3, 2, 5, 4, 10, 2, 0, 0]
