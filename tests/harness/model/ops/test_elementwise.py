"""Element-by-element operations against numpy: every operation, type and form."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from harness.model.ops.vector_device import F16, F32, I8, I16, I32, U8, U16, U32, VectorDevice

Array = npt.NDArray[np.generic]
COUNTS = [1, 7, 64, 130, 777, 2048]


def values(dtype: np.dtype, count: int, seed: int) -> Array:
    """Random bit patterns for integers; for floats a mix of sizes with every special value."""
    rng = np.random.default_rng(seed)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, count, dtype=dtype, endpoint=True)
    out = (rng.standard_normal(count) * 10.0 ** rng.uniform(-6, 4, count)).astype(dtype)
    tiny = np.finfo(dtype).smallest_subnormal
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, tiny, -3 * tiny, np.finfo(dtype).max, 1, -1], dtype)
    places = rng.integers(0, count, count // 6)
    out[places] = special[rng.integers(0, special.size, places.size)]
    return out


def same_bits(got: Array, want: Array) -> None:
    """Equal bit for bit, all NaNs alike."""
    assert got.dtype == want.dtype
    if got.dtype.kind == "f":
        nan = np.isnan(want)
        np.testing.assert_array_equal(np.isnan(got), nan)
        got, want = got[~nan], want[~nan]
    unsigned = np.dtype(f"u{got.dtype.itemsize}")
    np.testing.assert_array_equal(got.view(unsigned), want.view(unsigned))


def once(dtype: np.dtype, work: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    """In binary32, rounded once: what numpy does for half, spelled out."""

    def run(a: Array, b: Array) -> Array:
        if dtype != F16:
            return work(a, b)
        return work(a.astype(F32), b.astype(F32)).astype(F16)

    return run


def relu(x: Array) -> Array:
    return np.where(x <= 0, np.zeros_like(x), x)


def extreme(largest: bool) -> Callable[[Array, Array], Array]:
    def run(a: Array, b: Array) -> Array:
        if a.dtype.kind != "f":
            return np.maximum(a, b) if largest else np.minimum(a, b)
        # numpy leaves the sign of a zero result open; +0 counts as the larger one.
        both_zero = (a == 0) & (b == 0)
        negative = (np.signbit(a) & np.signbit(b)) if largest else (np.signbit(a) | np.signbit(b))
        zero = np.where(negative, -np.zeros_like(a), np.zeros_like(a))
        picked = np.maximum(a, b) if largest else np.minimum(a, b)
        return np.where(both_zero, zero, picked).astype(a.dtype)

    return run


ARITHMETIC = [F16, F32, I16, I32]
BINARY: list[tuple[str, list[np.dtype], Callable[[Array, Array], Array]]] = [
    ("Add", ARITHMETIC, lambda a, b: a + b),
    ("Sub", ARITHMETIC, lambda a, b: a - b),
    ("Mul", ARITHMETIC, lambda a, b: a * b),
    ("Div", [F16, F32], lambda a, b: a / b),
    ("Max", ARITHMETIC, extreme(True)),
    ("Min", ARITHMETIC, extreme(False)),
    ("AddRelu", [F16, F32, I16], lambda a, b: relu(a + b)),
    ("SubRelu", [F16, F32, I16], lambda a, b: relu(a - b)),
    ("And", [I16, U16], lambda a, b: a & b),
    ("Or", [I16, U16], lambda a, b: a | b),
]
BINARY_CASES = [pytest.param(n, t, f, id=f"{n}-{t}") for n, types, f in BINARY for t in types]


@pytest.mark.parametrize(("name", "dtype", "work"), BINARY_CASES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_binary_count(device: VectorDevice, name: str, dtype: np.dtype, work: Callable[..., Array]) -> None:
    for count in COUNTS:
        device.reset()
        a, b = values(dtype, count, 1), values(dtype, count, 2)
        dst = device.empty(count + 40, dtype)
        before = device.get(dst)
        got = device.clean(name, dst, device.put(a), device.put(b), count=count)
        same_bits(got[:count], once(dtype, work)(a, b))
        np.testing.assert_array_equal(got[count:].view(np.uint8), before[count:].view(np.uint8))


@pytest.mark.parametrize(("name", "dtype", "work"), BINARY_CASES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_binary_in_place(device: VectorDevice, name: str, dtype: np.dtype, work: Callable[..., Array]) -> None:
    a, b = values(dtype, 1000, 3), values(dtype, 1000, 4)
    left, right = device.put(a), device.put(b)
    same_bits(device.clean(name, right, left, right, count=1000), once(dtype, work)(a, b))


SCALAR: list[tuple[str, list[np.dtype], Callable[[Array, Array], Array]]] = [
    ("Adds", ARITHMETIC, lambda a, s: a + s),
    ("Muls", ARITHMETIC, lambda a, s: a * s),
    ("Maxs", ARITHMETIC, extreme(True)),
    ("Mins", ARITHMETIC, extreme(False)),
    ("LeakyRelu", [F16, F32], lambda a, s: np.where(a < 0, a * s, a)),
]


@pytest.mark.parametrize(
    ("name", "dtype", "work"), [pytest.param(n, t, f, id=f"{n}-{t}") for n, ts, f in SCALAR for t in ts]
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_scalar_count(device: VectorDevice, name: str, dtype: np.dtype, work: Callable[..., Array]) -> None:
    for scalar in values(dtype, 12, 5):
        device.reset()
        a = values(dtype, 300, 6)
        got = device.clean(name, device.empty(300, dtype), device.put(a), count=300, scalar=scalar)
        same_bits(got, once(dtype, work)(a, np.full_like(a, scalar)))


@pytest.mark.parametrize("dtype", [I16, U16, I32, U32], ids=str)
@pytest.mark.parametrize("by", [0, 1, 5, 15])
def test_shifts(device: VectorDevice, dtype: np.dtype, by: int) -> None:
    a = values(dtype, 500, 7)
    source, shift = device.put(a), dtype.type(by)
    same_bits(device.clean("ShiftLeft", device.empty(500, dtype), source, count=500, scalar=shift), a << shift)
    same_bits(device.clean("ShiftRight", device.empty(500, dtype), source, count=500, scalar=shift), a >> shift)


def test_shift_right_rounds_half_up(device: VectorDevice) -> None:
    a = np.array([5, 6, 7, -5, -6, -7, 32767, -32768], I16)
    got = device.clean("ShiftRight", device.empty(8, I16), device.put(a), count=8, scalar=I16.type(2), option=1)
    # (x + 2) >> 2 without overflow
    np.testing.assert_array_equal(got, [1, 2, 2, -1, -1, -2, 8192, -8192])


@pytest.mark.parametrize("dtype", [F16, F32], ids=str)
def test_abs_relu_not(device: VectorDevice, dtype: np.dtype) -> None:
    a = values(dtype, 600, 8)
    source = device.put(a)
    same_bits(device.clean("Abs", device.empty(600, dtype), source, count=600), np.abs(a))
    same_bits(device.clean("Relu", device.empty(600, dtype), source, count=600), relu(a))


def test_relu_int32_and_not_int16(device: VectorDevice) -> None:
    a, b = values(I32, 90, 9), values(I16, 90, 9)
    same_bits(device.clean("Relu", device.empty(90, I32), device.put(a), count=90), np.maximum(a, 0))
    same_bits(device.clean("Not", device.empty(90, I16), device.put(b), count=90), ~b)


@pytest.mark.parametrize(("dst_type", "src_type"), [(F16, F16), (F32, F32), (F32, F16)], ids=str)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_fused_round_after_each_step(device: VectorDevice, dst_type: np.dtype, src_type: np.dtype) -> None:
    a, b, d = values(src_type, 400, 10), values(src_type, 400, 11), values(dst_type, 400, 12)
    scalar = src_type.type(-1.7)
    product = (a.astype(F32) * b.astype(F32)).astype(dst_type)
    want = (product.astype(F32) + d.astype(F32)).astype(dst_type)
    same_bits(device.clean("MulAddDst", device.put(d), device.put(a), device.put(b), count=400), want)
    product = (a.astype(F32) * F32.type(scalar)).astype(dst_type)
    want = (product.astype(F32) + d.astype(F32)).astype(dst_type)
    same_bits(device.clean("Axpy", device.put(d), device.put(a), count=400, scalar=scalar), want)


@pytest.mark.parametrize("dtype", [F16, F32], ids=str)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_fused_mul_add_uses_dst_as_factor(device: VectorDevice, dtype: np.dtype) -> None:
    a, b, d = values(dtype, 400, 13), values(dtype, 400, 14), values(dtype, 400, 15)
    product = (a.astype(F32) * d.astype(F32)).astype(dtype)
    want = (product.astype(F32) + b.astype(F32)).astype(dtype)
    same_bits(device.clean("FusedMulAdd", device.put(d), device.put(a), device.put(b), count=400), want)
    same_bits(device.clean("FusedMulAddRelu", device.put(d), device.put(a), device.put(b), count=400), relu(want))


@pytest.mark.parametrize("dtype", [I16, U16, F16, I32, U32, F32], ids=str)
def test_duplicate(device: VectorDevice, dtype: np.dtype) -> None:
    value = values(dtype, 20, 16)[3]
    got = device.clean("Duplicate", device.empty(333, dtype), count=333, scalar=value)
    same_bits(got, np.full(333, value, dtype))


# Rows of the documentation's boundary tables: operation, type, sources, result (A2/A3, INF/NAN mode).
BOUNDARY = [
    ("Exp", F16, [-65504, 65504, 0, -0.0, np.nan, np.inf, -np.inf], [0, np.inf, 1, 1, np.nan, np.inf, 0]),
    ("Exp", F32, [-3.4028235e38, 3.4028235e38, np.nan, np.inf, -np.inf], [0, np.inf, np.nan, np.inf, 0]),
    ("Ln", F16, [-65504, 65504, 0, -0.0, np.nan, np.inf], [np.nan, 11.09, -np.inf, -np.inf, np.nan, np.inf]),
    ("Relu", F16, [-65504, 65504, 0, -0.0, np.nan, np.inf, -np.inf], [0, 65504, 0, 0, np.nan, np.inf, 0]),
    ("Rsqrt", F32, [0, -0.0, -1, np.inf], [np.inf, -np.inf, np.nan, 0]),
    ("Sqrt", F32, [0, -0.0, -1, np.inf], [0, -0.0, np.nan, np.inf]),
    ("Reciprocal", F32, [0, -0.0, np.inf, -np.inf], [np.inf, -np.inf, 0, -0.0]),
]


@pytest.mark.parametrize(("name", "dtype", "source", "want"), BOUNDARY, ids=[f"{r[0]}-{r[1]}" for r in BOUNDARY])
def test_documented_boundary_values(
    device: VectorDevice, name: str, dtype: np.dtype, source: list[float], want: list[float]
) -> None:
    a = np.array(source, dtype)
    got = device.clean(name, device.empty(a.size, dtype), device.put(a), count=a.size)
    same_bits(got, np.array(want, dtype))


def test_saturation_switch_clamps_half(device: VectorDevice) -> None:
    a = np.array([65504, -65504, np.nan, 1], F16)
    device.lib.stub_infinities(0)
    source = device.put(a)
    got = device.clean("Add", device.empty(4, F16), source, source, count=4)
    # The documentation's saturated column: inf becomes the largest value, nan becomes 0.
    same_bits(got, np.array([65504, -65504, 0, 2], F16))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("op", ["AddReluCast", "SubReluCast"])
@pytest.mark.parametrize(("src", "dst"), [(F16, I8), (F32, F16), (I16, I8)], ids=str)
def test_sum_relu_and_conversion(device: VectorDevice, op: str, src: np.dtype, dst: np.dtype, count: int) -> None:
    rng = np.random.default_rng(count)
    a, b = (rng.integers(-150, 150, count) / (1 if src == I16 else 8) for _ in range(2))
    a, b = a.astype(src), b.astype(src)
    got = device.clean(op, device.empty(count, dst), device.put(a), device.put(b), count=count)
    middle = relu(a + b if op == "AddReluCast" else a - b)
    want = middle.astype(F16) if dst == F16 else np.clip(np.rint(middle.astype(F32)), -128, 127).astype(I8)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dst", [I8, U8], ids=str)
def test_product_and_conversion_by_mask_and_strides(device: VectorDevice, dst: np.dtype) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(-40, 40, 512).astype(F16) / 4, rng.integers(-40, 40, 512).astype(F16) / 4
    out = device.put(np.full(512, 99, dst))
    # Two repeats of 128; dst rows of 128 bytes, 8 blocks apart.
    got = device.clean("MulCast", out, device.put(a), device.put(b), mask=100, repeat=2,
                       dst_strides=(1, 8), src_strides=((1, 16), (1, 8)))  # fmt: skip
    info = np.iinfo(dst)
    want = np.full(512, 99, dst)
    for r in range(2):
        product = (a[256 * r : 256 * r + 100] * b[128 * r : 128 * r + 100]).astype(F32)
        want[256 * r : 256 * r + 100] = np.clip(np.rint(product), info.min, info.max).astype(dst)
    np.testing.assert_array_equal(got, want)


def test_sum_scaled_to_half(device: VectorDevice) -> None:
    rng = np.random.default_rng(4)
    a, b = rng.integers(-5000, 5000, 300).astype(I32), rng.integers(-5000, 5000, 300).astype(I32)
    device.run("SetDeqScale", device.empty(1, F16), scalar=F16.type(0.125))
    got = device.clean("AddDeqRelu", device.empty(300, F16), device.put(a), device.put(b), count=300)
    np.testing.assert_array_equal(got, np.maximum((a + b) * 0.125, 0).astype(F16))
