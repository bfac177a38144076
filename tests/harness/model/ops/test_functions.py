"""Elementary and composite functions: distance to the true value in units in the last place."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from harness.model.ops.vector_device import F16, F32, I32, VectorDevice

Array = npt.NDArray[np.generic]


def grid(low: float, high: float, count: int = 3000) -> Array:
    rng = np.random.default_rng(1)
    near_zero = rng.choice([-1, 1], 400) * 10.0 ** rng.uniform(-30, 0, 400)
    near_zero = near_zero[(near_zero > low) & (near_zero < high)]
    return np.concatenate([rng.uniform(low, high, count), near_zero]).astype(F32)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def gelu(x: float) -> float:
    """x / (1 + e^(-1.59576912 (x + 0.044715 x^3))), the documented simplification."""
    return x * sigmoid(1.5957691216057308 * (x + 0.044715 * x**3))


def faster_gelu_v2(x: float) -> float:
    """x (sgn(x) (a (min(|x| / sqrt 2, b) - b)^2 + 1/2) + 1/2) with a = -0.1444 and b = 1.769."""
    half = -0.1444 * (min(abs(x) / math.sqrt(2), 1.769) - 1.769) ** 2 + 0.5
    return x * (math.copysign(half, x) + 0.5)


# Python's libm in binary64 is within 1 ulp of binary64: exact enough to judge binary32.
FUNCTIONS: list[tuple[str, Callable[[float], float], float, float]] = [
    ("Exp", math.exp, -100, 88.7),
    ("Ln", math.log, 1e-30, 1e30),
    ("Ln", math.log, 0.5, 2),
    ("Sqrt", math.sqrt, 0, 1e30),
    ("Rsqrt", lambda x: 1 / math.sqrt(x), 1e-20, 1e20),
    ("Reciprocal", lambda x: 1 / x, -1e20, 1e20),
    ("Log2", math.log2, 1e-3, 1e3),
    ("Log10", math.log10, 1e-3, 1e3),
    ("Tanh", math.tanh, -12, 12),
    ("Sigmoid", sigmoid, -80, 80),
    ("Erf", math.erf, -5, 5),
    ("Erfc", math.erfc, -5, 9),
    ("Gelu", gelu, -6, 6),
    ("FasterGelu", lambda x: x * sigmoid(1.702 * x), -20, 20),
    ("Silu", lambda x: x * sigmoid(x), -50, 50),
    ("Sin", math.sin, -65504, 65504),
    ("Cos", math.cos, -65504, 65504),
    ("Sin", math.sin, -4, 4),
    ("Tan", math.tan, -1000, 1000),
    ("Asin", math.asin, -1, 1),
    ("Acos", math.acos, -1, 1),
    ("Atan", math.atan, -100, 100),
    ("Sinh", math.sinh, -80, 80),
    ("Cosh", math.cosh, -80, 80),
    ("Asinh", math.asinh, -1e5, 1e5),
    ("Acosh", math.acosh, 1, 1e5),
    ("Atanh", math.atanh, -0.9999999, 0.9999999),
    ("Lgamma", math.lgamma, 2.2, 1e4),
    ("FasterGeluV2", faster_gelu_v2, -4, 4),
]


@pytest.mark.parametrize(
    ("name", "true", "low", "high"), FUNCTIONS, ids=[f"{f[0]}-{f[2]:g}..{f[3]:g}" for f in FUNCTIONS]
)
def test_within_one_ulp(
    device: VectorDevice, name: str, true: Callable[[float], float], low: float, high: float
) -> None:
    a = grid(low, high)
    got = device.clean(name, device.empty(a.size, F32), device.put(a), count=a.size).astype(np.float64)
    want = np.array([true(float(x)) for x in a])
    unit = np.maximum(np.spacing(np.abs(want).astype(F32)).astype(np.float64), np.finfo(F32).smallest_subnormal)
    assert np.max(np.abs(got - want) / unit) <= 0.75


@pytest.mark.parametrize("name", ["Exp", "Ln", "Sqrt", "Tanh", "Erf", "Sin"])
def test_half_rounds_the_single_result(device: VectorDevice, name: str) -> None:
    a = np.abs(grid(0.01, 9)).astype(F16)
    half = device.clean(name, device.empty(a.size, F16), device.put(a), count=a.size)
    single = device.clean(name, device.empty(a.size, F32), device.put(a.astype(F32)), count=a.size)
    np.testing.assert_array_equal(half, single.astype(F16))


def test_every_half_exponential(device: VectorDevice) -> None:
    a = np.arange(65536, dtype=np.uint16).view(F16)
    for part in np.split(a, 4):
        device.reset()
        got = device.clean("Exp", device.empty(part.size, F16), device.put(part), count=part.size)
        with np.errstate(over="ignore", invalid="ignore"):
            want = np.exp(part.astype(np.float64)).astype(F32).astype(F16)
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    ("name", "work"),
    [("Floor", np.floor), ("Ceil", np.ceil), ("Trunc", np.trunc), ("Round", np.rint), ("Sign", np.sign)],
)
@pytest.mark.parametrize("dtype", [F16, F32], ids=str)
def test_whole_numbers(device: VectorDevice, name: str, work: Callable[[Array], Array], dtype: np.dtype) -> None:
    a = np.concatenate([np.arange(-20, 20) / 2, grid(-3000, 3000), [np.inf, -np.inf, np.nan, -0.0, 8388609.0]])
    with np.errstate(over="ignore"):
        a = a.astype(dtype)
    got = device.clean(name, device.empty(a.size, dtype), device.put(a), count=a.size)
    np.testing.assert_array_equal(got, work(a))


def test_frac(device: VectorDevice) -> None:
    a = grid(-3000, 3000)
    got = device.clean("Frac", device.empty(a.size, F32), device.put(a), count=a.size)
    np.testing.assert_array_equal(got, a - np.trunc(a))


def test_power(device: VectorDevice) -> None:
    rng = np.random.default_rng(5)
    base, exponent = rng.uniform(0.01, 50, 2000).astype(F32), rng.uniform(-8, 8, 2000).astype(F32)
    got = device.clean("Power", device.empty(2000, F32), device.put(base), device.put(exponent), count=2000)
    want = np.array([math.pow(b, e) for b, e in zip(base.tolist(), exponent.tolist(), strict=True)])
    assert np.max(np.abs(got - want) / np.spacing(want.astype(F32))) <= 0.75


def test_power_specials_follow_ieee(device: VectorDevice) -> None:
    base = np.array([0, -0.0, 0, -2, -2, -2, np.nan, np.nan, 1, np.inf, -1, 0.5, 2], F32)
    exponent = np.array([0, 3, -1, 3, 2, 0.5, 0, 1, np.nan, -1, np.inf, np.inf, -np.inf], F32)
    got = device.clean("Power", device.empty(13, F32), device.put(base), device.put(exponent), count=13)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(got, np.power(base, exponent))


def test_power_of_integers_and_scalar_sides(device: VectorDevice) -> None:
    base, exponent = np.array([2, 3, -2, 7, 10, 0], I32), np.array([10, 5, 3, 0, 9, 4], I32)
    left, right = device.put(base), device.put(exponent)
    got = device.clean("Power", device.empty(6, I32), left, right, count=6)
    np.testing.assert_array_equal(got, base**exponent)
    got = device.clean("Power", device.empty(6, I32), left, count=6, scalar=I32.type(2))
    np.testing.assert_array_equal(got, base**2)
    got = device.clean("Power", device.empty(6, I32), right, count=6, scalar=I32.type(2), option=1)
    np.testing.assert_array_equal(got, 2**exponent)


def test_fmod_is_exact(device: VectorDevice) -> None:
    rng = np.random.default_rng(6)
    a = (rng.standard_normal(1000) * 10.0 ** rng.uniform(-3, 8, 1000)).astype(F32)
    b = (rng.standard_normal(1000) * 10.0 ** rng.uniform(-3, 3, 1000)).astype(F32)
    got = device.clean("Fmod", device.empty(1000, F32), device.put(a), device.put(b), count=1000)
    np.testing.assert_array_equal(got, np.fmod(a, b))


def test_swish_family(device: VectorDevice) -> None:
    a, b = grid(-8, 8)[:1000], grid(-8, 8)[1000:2000]
    beta = F32.type(1.5)
    swish = np.array([x * sigmoid(1.5 * x) for x in b.tolist()])
    got = device.clean("Swish", device.empty(1000, F32), device.put(b), count=1000, scalar=beta)
    np.testing.assert_allclose(got, swish, rtol=1.2e-7)
    got = device.clean("SwiGlu", device.empty(1000, F32), device.put(a), device.put(b), count=1000, scalar=beta)
    np.testing.assert_allclose(got, a.astype(np.float64) * swish, rtol=1.2e-7)


def test_log_gamma_below_its_zeros_and_at_its_poles(device: VectorDevice) -> None:
    a = np.concatenate([np.linspace(-5.9, 2.2, 400), [-3, 0, np.inf]]).astype(F32)
    got = device.clean("Lgamma", device.empty(a.size, F32), device.put(a), count=a.size)
    want = np.array([math.inf if x in (-3, 0, math.inf) else math.lgamma(x) for x in a.tolist()])
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)


def test_digamma_by_its_recurrence_and_known_values(device: VectorDevice) -> None:
    a = np.concatenate([[1, 0.5, 2], np.linspace(-4.7, 30, 500)]).astype(F32)
    got = device.clean("Digamma", device.empty(a.size, F32), device.put(a), count=a.size).astype(np.float64)
    euler = 0.5772156649015329
    np.testing.assert_allclose(got[:3], [-euler, -euler - 2 * math.log(2), 1 - euler], rtol=1e-6)
    shifted = device.clean("Digamma", device.empty(a.size, F32), device.put(a + 1), count=a.size).astype(np.float64)
    # psi(x + 1) = psi(x) + 1 / x, for the x + 1 that binary32 holds exactly enough.
    exact = (a.astype(np.float64) + 1) == (a + 1).astype(np.float64)
    np.testing.assert_allclose(shifted[exact], (got + 1 / a.astype(np.float64))[exact], rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("dtype", [F16, F32], ids=str)
def test_gated_activations_and_clamps(device: VectorDevice, dtype: np.dtype) -> None:
    a, b = grid(-5, 5, 600).astype(dtype), grid(-5, 5, 600)[::-1].astype(dtype)
    x, y, n = device.put(a), device.put(b), a.size
    wide = b.astype(np.float64)
    gated = device.clean("GeGlu", device.empty(n, dtype), x, y, count=n)
    tolerance = 2e-3 if dtype == F16 else 1e-6
    np.testing.assert_allclose(gated, a * np.array([gelu(v) for v in wide.tolist()]), rtol=tolerance, atol=1e-6)
    gated = device.clean("ReGlu", device.empty(n, dtype), x, y, count=n)
    np.testing.assert_array_equal(gated, a * np.maximum(b, 0))
    low = device.clean("ClampMin", device.empty(n, dtype), x, count=n, scalar=dtype.type(-1.5))
    np.testing.assert_array_equal(low, np.maximum(a, dtype.type(-1.5)))
    high = device.clean("ClampMax", device.empty(n, dtype), x, count=n, scalar=dtype.type(0.5))
    np.testing.assert_array_equal(high, np.minimum(a, dtype.type(0.5)))
