"""Casts: every legal pair and mode, against exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from harness.model.ops.vector_device import BF16, F16, F32, I8, I16, I32, I64, INT4, U8, Tensor, VectorDevice

Array = npt.NDArray[np.generic]
NONE, RINT, FLOOR, CEIL, ROUND, TRUNC, ODD = range(7)
ROUNDING = [RINT, FLOOR, CEIL, ROUND, TRUNC]


def round_fraction(value: Fraction, mode: int) -> int:
    """An exact value to an integer by mode."""
    down = math.floor(value)
    rest = value - down
    if mode == FLOOR:
        return down
    if mode == CEIL:
        return math.ceil(value)
    if mode == TRUNC:
        return math.trunc(value)
    if mode == ROUND:
        return down + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and value > 0))
    if mode == ODD:
        return down if rest == 0 or down % 2 else down + 1
    return down + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and down % 2 == 1))


def float_samples(dtype: np.dtype) -> Array:
    rng = np.random.default_rng(1)
    ties = np.arange(-40, 40) + 0.5
    scale = 10.0 ** rng.uniform(-8, 6 if dtype == F16 else 30, 500)
    numbers = np.concatenate([ties, ties * 2.0, np.arange(-20, 20), rng.standard_normal(500) * scale])
    special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 32767.5, -32768.5, 2147483647, -2147483649, 65519, 65520, 127.5]
    with np.errstate(over="ignore"):
        return np.concatenate([numbers, special]).astype(dtype)


def integers(source: Array, dst: np.dtype, mode: int) -> Array:
    info = np.iinfo(dst)
    out: list[int] = []
    for value in source.astype(np.float64):
        if math.isnan(value):
            out.append(0)
        elif math.isinf(value):
            out.append(info.max if value > 0 else info.min)
        else:
            out.append(min(max(round_fraction(Fraction(float(value)), mode), info.min), info.max))
    return np.array(out, dst)


@pytest.mark.parametrize(
    ("src", "dst"),
    [(F16, I8), (F16, U8), (F16, I16), (F16, I32), (F32, I16), (F32, I32), (F32, I64), (BF16, I32)],
    ids=str,
)
@pytest.mark.parametrize("mode", ROUNDING)
def test_float_to_integer(device: VectorDevice, src: np.dtype, dst: np.dtype, mode: int) -> None:
    a = float_samples(src)
    got = device.clean("Cast", device.empty(a.size, dst), device.put(a), count=a.size, mode=mode)
    np.testing.assert_array_equal(got, integers(a, dst, mode))


def narrowed(value: float, mode: int, bits: int, low_exponent: int, largest: Fraction) -> Fraction | float:
    """A binary32 value in a format with `bits` of significand and no exponent below `low_exponent`."""
    exact = Fraction(value)
    if exact == 0:
        return exact
    exponent = max(math.frexp(value)[1] - bits, low_exponent)
    unit = Fraction(2) ** exponent
    magnitude = exact / unit
    if mode == ODD:
        whole = math.trunc(magnitude)
        rounded = whole if whole == magnitude or whole % 2 else whole + (1 if magnitude > 0 else -1)
    else:
        rounded = round_fraction(magnitude, mode)
    result = rounded * unit
    if abs(result) > largest:
        to_infinity = mode in (RINT, ROUND) or (mode == FLOOR and value < 0) or (mode == CEIL and value > 0)
        if mode == ODD or not to_infinity:
            return largest if value > 0 else -largest
        return math.copysign(math.inf, value)
    return result


@pytest.mark.parametrize("mode", [*ROUNDING, ODD])
def test_float_to_half(device: VectorDevice, mode: int) -> None:
    rng = np.random.default_rng(2)
    a = (rng.standard_normal(800) * 10.0 ** rng.uniform(-9, 5, 800)).astype(F32)
    a = np.concatenate([a, np.array([65519, 65520, -65520, 2049, 2051, 6e-8, 2.9802322e-08, 1e-9, 0], F32)])
    got = device.clean("Cast", device.empty(a.size, F16), device.put(a), count=a.size, mode=mode)
    want = [narrowed(float(x), mode, 11, -24, Fraction(65504)) for x in a]
    for have, should in zip(got.astype(np.float64), want, strict=True):
        assert have == should


@pytest.mark.parametrize("mode", ROUNDING)
def test_float_to_bfloat16(device: VectorDevice, mode: int) -> None:
    rng = np.random.default_rng(3)
    a = (rng.standard_normal(800) * 10.0 ** rng.uniform(-30, 30, 800)).astype(F32)
    got = device.clean("Cast", device.empty(a.size, BF16), device.put(a), count=a.size, mode=mode)
    want = [narrowed(float(x), mode, 8, -133, Fraction(3.3895313892515355e38)) for x in a]
    for have, should in zip(got.astype(np.float64), want, strict=True):
        assert have == should


@pytest.mark.parametrize("dst", [F16, BF16], ids=str)
def test_narrowing_keeps_specials(device: VectorDevice, dst: np.dtype) -> None:
    a = np.array([np.nan, np.inf, -np.inf, -0.0, 3.4e38], F32)
    got = device.clean("Cast", device.empty(5, dst), device.put(a), count=5, mode=RINT).astype(F32)
    assert np.isnan(got[0]) and np.signbit(got[3])
    np.testing.assert_array_equal(got[1:], np.array([np.inf, -np.inf, 0, np.inf if dst == F16 else got[4]], F32))


def test_saturation_switch(device: VectorDevice) -> None:
    device.lib.stub_infinities(0)
    a = np.array([3.4028235e38, -3.4028235e38, np.inf, np.nan, 70000], F32)
    got = device.clean("Cast", device.empty(5, F16), device.put(a), count=5, mode=RINT)
    np.testing.assert_array_equal(got, np.array([65504, -65504, 65504, 0, 65504], F16))


@pytest.mark.parametrize(
    ("src", "dst"), [(F16, F32), (BF16, F32), (I8, F16), (U8, F16), (I16, F32), (I32, I64)], ids=str
)
def test_widening_is_exact(device: VectorDevice, src: np.dtype, dst: np.dtype) -> None:
    patterns = np.arange(0, 65536, 7, dtype=np.uint16)[:4000]
    a = patterns.astype(src) if src.kind in "iu" else patterns.view(src)
    got = device.clean("Cast", device.empty(a.size, dst), device.put(a), count=a.size, mode=NONE)
    want = a.astype(dst)
    nan = np.isnan(want) if dst.kind == "f" else np.zeros(want.size, bool)
    np.testing.assert_array_equal(got[~nan], want[~nan])
    assert dst.kind != "f" or np.isnan(got[nan]).all()


@pytest.mark.parametrize("mode", [NONE, *ROUNDING])
def test_int16_to_half(device: VectorDevice, mode: int) -> None:
    a = np.arange(-32768, 32768, 31).astype(I16)
    got = device.clean("Cast", device.empty(a.size, F16), device.put(a), count=a.size, mode=mode)
    want = [narrowed(float(x), mode or RINT, 11, -24, Fraction(65504)) for x in a]
    assert [Fraction(float(x)) for x in got] == want


@pytest.mark.parametrize("src", [I32, I64], ids=str)
@pytest.mark.parametrize("mode", ROUNDING)
def test_integer_to_float(device: VectorDevice, src: np.dtype, mode: int) -> None:
    info = np.iinfo(src)
    rng = np.random.default_rng(4)
    a = rng.integers(info.min, info.max, 500, dtype=src)
    a = np.concatenate([a, np.array([0, 1, -1, info.max, info.min, 16777217, 16777219, -16777217, 33554434], src)])
    got = device.clean("Cast", device.empty(a.size, F32), device.put(a), count=a.size, mode=mode)
    for have, value in zip(got, a, strict=True):
        exponent = max(abs(int(value)).bit_length() - 24, 0)
        assert int(have) == round_fraction(Fraction(int(value), 2**exponent), mode) * 2**exponent


@pytest.mark.parametrize(("src", "dst"), [(I32, I16), (I64, I32)], ids=str)
def test_integer_narrowing_saturates(device: VectorDevice, src: np.dtype, dst: np.dtype) -> None:
    low, high = np.iinfo(dst).min, np.iinfo(dst).max
    a = np.array([low - 1, low, -1, 0, 1, high, high + 1, np.iinfo(src).max, np.iinfo(src).min], src)
    got = device.clean("Cast", device.empty(a.size, dst), device.put(a), count=a.size, mode=NONE)
    np.testing.assert_array_equal(got, np.clip(a, low, high).astype(dst))


def test_int32_to_half_multiplies_by_the_scale(device: VectorDevice) -> None:
    a = np.array([0, 1, -5, 1000, 70000], I32)
    source = device.put(a)
    device.run("SetDeqScale", source, scalar=F16.type(0.25))
    got = device.clean("Cast", device.empty(5, F16), source, count=5, mode=NONE)
    np.testing.assert_array_equal(got, (a * 0.25).astype(F16))


def test_float_to_float_rounds_and_drops_minus_zero(device: VectorDevice) -> None:
    a = np.array([-0.0, -0.4, 2.5, -2.5, 1e30, 8388609.0], F32)
    got = device.clean("Cast", device.empty(6, F32), device.put(a), count=6, mode=RINT)
    np.testing.assert_array_equal(got, np.array([0, 0, 2, -2, 1e30, 8388609.0], F32))
    assert not np.signbit(got[0])


def test_int4_low_nibble_first_and_saturating(device: VectorDevice) -> None:
    a = np.array([-8, 7, 0, 3, -1, 100, -100, 2.5], F16)
    packed = Tensor(device.empty(32, U8).address, U8, 32, INT4)
    device.clean("Cast", packed, device.put(a), count=8, mode=RINT)
    np.testing.assert_array_equal(device.get(packed)[:4], [0x78, 0x30, 0x7F, 0x28])
    got = device.clean("Cast", device.empty(8, F16), packed, count=8, mode=NONE)
    np.testing.assert_array_equal(got, np.array([-8, 7, 0, 3, -1, 7, -8, 2], F16))


def test_repeats_go_by_the_wider_type(device: VectorDevice) -> None:
    a = np.arange(512).astype(F16)
    target = device.put(np.full(256, -1, F32))
    got = device.clean(
        "Cast", target, device.put(a), mask=64, repeat=2, dst_strides=(1, 16), src_strides=((1, 4),), mode=NONE
    )
    want = np.full(256, -1, F32)
    want[:64], want[128:192] = np.arange(64), np.arange(64, 128)
    np.testing.assert_array_equal(got, want)


def test_widening_from_the_upper_half_in_place(device: VectorDevice) -> None:
    a = np.arange(1000).astype(F16)
    area = device.empty(1024, F32)
    source = Tensor(area.address + 2048, F16, 1024)
    device.write(source, a)
    got = device.clean("Cast", area, source, count=1000, mode=NONE)
    np.testing.assert_array_equal(got[:1000], a.astype(F32))


def test_widening_in_place_is_an_overlap(device: VectorDevice) -> None:
    area = device.empty(1024, F32)
    report = device.run("Cast", area, Tensor(area.address, F16, 1024), count=1000, mode=NONE)
    assert report.violations[0].startswith("overlap|0|")


@pytest.mark.parametrize(
    ("src", "dst", "mode", "text"),
    [
        (F32, I32, NONE, "Cast from float to int32_t does not take CAST_NONE"),
        (F16, F32, RINT, "Cast from half to float does not take CAST_RINT"),
        (F32, BF16, NONE, "Cast from float to bfloat16_t does not take CAST_NONE"),
    ],
)
def test_illegal_mode_is_named(device: VectorDevice, src: np.dtype, dst: np.dtype, mode: int, text: str) -> None:
    report = device.run("Cast", device.empty(8, dst), device.put(np.ones(8, src)), count=8, mode=mode)
    assert not report.failed and text in report.violations[0]


def test_pair_that_does_not_exist(device: VectorDevice) -> None:
    report = device.run("Cast", device.empty(8, F16), device.put(np.ones(8, BF16)), count=8, mode=RINT)
    assert report.failed and "Cast from bfloat16_t to half does not exist" in report.violations[0]
