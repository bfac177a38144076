"""Comparison into bits and selection by them."""

from __future__ import annotations

import operator

import numpy as np
import numpy.typing as npt
import pytest
from harness.model.ops.vector_device import F16, F32, I32, U8, VectorDevice

Array = npt.NDArray[np.generic]
MODES = [operator.lt, operator.gt, operator.eq, operator.le, operator.ge, operator.ne]
REGISTER, SCALAR, TENSOR = range(3)


def samples(dtype: np.dtype, count: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    out = rng.integers(-3, 4, count).astype(dtype)
    if dtype.kind == "f":
        special = np.array([np.nan, np.inf, -np.inf, -0.0], dtype)
        out[::5] = special[rng.integers(0, 4, out[::5].size)]
    return out


def bits(flags: Array) -> Array:
    return np.packbits(flags.astype(bool), bitorder="little")


@pytest.mark.parametrize("dtype", [F16, F32], ids=str)
@pytest.mark.parametrize("mode", range(6))
def test_compare_count(device: VectorDevice, dtype: np.dtype, mode: int) -> None:
    count = 512
    a, b = samples(dtype, count, 1), samples(dtype, count, 2)
    got = device.clean("Compare", device.empty(64, U8), device.put(a), device.put(b), count=count, mode=mode)
    np.testing.assert_array_equal(got, bits(MODES[mode](a, b)))
    got = device.clean(
        "CompareScalar", device.empty(64, U8), device.put(a), count=count, mode=mode, scalar=dtype.type(1)
    )
    np.testing.assert_array_equal(got, bits(MODES[mode](a, dtype.type(1))))


def test_compare_int32_is_equality_only(device: VectorDevice) -> None:
    a, b = samples(I32, 128, 3), samples(I32, 128, 4)
    left, right = device.put(a), device.put(b)
    np.testing.assert_array_equal(
        device.clean("Compare", device.empty(16, U8), left, right, count=128, mode=2), bits(a == b)
    )
    report = device.run("Compare", device.empty(16, U8), left, right, count=128, mode=0)
    assert report.violations[0].startswith("dtype|0|")


def test_tail_is_not_compared(device: VectorDevice) -> None:
    a = np.ones(100, F32)
    target = device.put(np.zeros(32, U8))
    report = device.run("Compare", target, device.put(a), device.put(a), count=100, mode=2)
    assert "the last 36 of 100 elements" in report.violations[0]
    np.testing.assert_array_equal(device.get(target), [255] * 8 + [0] * 24)


def test_tensor_compare_ignores_its_mask(device: VectorDevice) -> None:
    a = np.arange(192).astype(F32)
    got = device.clean(
        "Compare", device.empty(24, U8), device.put(a), device.put(a[::-1].copy()), mask=3, repeat=3, mode=0
    )
    np.testing.assert_array_equal(got, bits(a < a[::-1]))


def test_register_compare_honours_the_mask_and_drives_select(device: VectorDevice) -> None:
    a, b = np.arange(64).astype(F32), np.full(64, 30, F32)
    left, right = device.put(a), device.put(b)
    device.run("CompareRegister", left, left, right, mask=40, repeat=1, mode=1)
    saved = device.clean("GetCmpMask", device.empty(16, U8))
    np.testing.assert_array_equal(saved[:8], bits((a > b) & (np.arange(64) < 40)))
    device.set_mask(False, 2**64 - 1, 2**64 - 1)
    got = device.clean("SelectRegister", device.empty(64, F32), left, right, repeat=1, set_mask=False)
    np.testing.assert_array_equal(got, np.where((a > 30) & (np.arange(64) < 40), a, b))


@pytest.mark.parametrize("dtype", [F16, F32], ids=str)
@pytest.mark.parametrize("count", [5, 64, 200, 1000])
def test_select_takes_fresh_bits(device: VectorDevice, dtype: np.dtype, count: int) -> None:
    a, b = samples(dtype, count, 5), samples(dtype, count, 6)
    flags = np.random.default_rng(7).integers(0, 2, count).astype(bool)
    stream, left, right = device.put(bits(flags)), device.put(a), device.put(b)
    got = device.clean("Select", device.empty(count, dtype), stream, left, right, count=count, option=TENSOR)
    np.testing.assert_array_equal(got, np.where(flags, a, b))
    scalar = dtype.type(-9)
    got = device.clean("Select", device.empty(count, dtype), stream, left, count=count, option=SCALAR, scalar=scalar)
    np.testing.assert_array_equal(got, np.where(flags, a, scalar))


def test_select_mode_zero_reuses_one_repeat_of_bits(device: VectorDevice) -> None:
    a, b = np.arange(256).astype(F32), -np.arange(256).astype(F32)
    flags = np.random.default_rng(8).integers(0, 2, 64).astype(bool)
    got = device.clean(
        "Select",
        device.empty(256, F32),
        device.put(bits(flags)),
        device.put(a),
        device.put(b),
        count=256,
        option=REGISTER,
    )
    np.testing.assert_array_equal(got, np.where(np.tile(flags, 4), a, b))


def test_select_mask_filters_writes_but_not_bits(device: VectorDevice) -> None:
    a, b = np.arange(128).astype(F32), -np.arange(128).astype(F32)
    flags = np.random.default_rng(9).integers(0, 2, 128).astype(bool)
    target = device.put(np.full(128, 5, F32))
    got = device.clean(
        "Select", target, device.put(bits(flags)), device.put(a), device.put(b), mask=10, repeat=2, option=TENSOR
    )
    lane = np.arange(128) % 64
    np.testing.assert_array_equal(got, np.where(lane < 10, np.where(flags, a, b), 5))
