"""ND2NZ, LoadData, Mmad and Fixpipe against numpy, for each element type and each way that a matrix can lie."""

from __future__ import annotations

import struct
from dataclasses import astuple, dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from harness.model.kernels.kernel_runner import KernelRunner, Ran
from numpy.typing import NDArray

pytestmark = pytest.mark.timeout(1200)

F322F16, F322BF16, DEQF16, VDEQF16, QF322B8, VQF322B8, REQ8, VREQ8 = range(1, 9)
SHAPES = [(16, 16, 16), (32, 64, 96), (40, 24, 56), (17, 80, 33)]


@dataclass(frozen=True)
class Plan:
    m: int
    n: int
    k: int
    a_transposed: int = 0
    b_transposed: int = 0
    bias: int = 0
    image: int = 0
    accumulate: int = 0
    hf32: int = 0
    unit_flag: int = 0
    nz: int = 0
    relu: int = 0
    quant: int = 0
    scale_low: int = 0
    scale_high: int = 0
    missing_flag: int = 0
    over_scales: int = 0


@dataclass(frozen=True)
class Operands:
    a: NDArray[Any]
    b: NDArray[Any]
    bias: NDArray[Any]


def operands(plan: Plan, kind: str, seed: int = 0) -> Operands:
    random = np.random.default_rng(seed)
    if kind == "int8":
        a = random.integers(-128, 128, (plan.m, plan.k)).astype(np.int8)
        b = random.integers(-128, 128, (plan.k, plan.n)).astype(np.int8)
        return Operands(a, b, random.integers(-1000, 1000, plan.n).astype(np.int32))
    dtype = {"half": np.float16, "bfloat": ml_dtypes.bfloat16, "float": np.float32}[kind]
    a = random.normal(size=(plan.m, plan.k)).astype(dtype)
    b = random.normal(size=(plan.k, plan.n)).astype(dtype)
    return Operands(a, b, random.normal(size=plan.n).astype(np.float32))


def run(
    products: KernelRunner, entry: str, plan: Plan, of: Operands, out: NDArray[Any], scales: NDArray[Any] | None = None
) -> Ran:
    a = np.ascontiguousarray(of.a.T) if plan.a_transposed else of.a
    b = np.ascontiguousarray(of.b.T) if plan.b_transposed else of.b
    bias = np.zeros((plan.n + 15) // 16 * 16, of.bias.dtype)
    bias[: plan.n] = of.bias
    table = np.zeros((plan.n + 3) // 4 * 4, np.uint64)
    if scales is not None:
        table[: plan.n] = scales
    packed = struct.pack("<17I", *astuple(plan))
    return products.run(entry, [raw(a), raw(b), bias, table], [raw(out)], tiling=packed)


def raw(array: NDArray[Any]) -> NDArray[Any]:
    return array.view(np.uint16) if array.dtype == ml_dtypes.bfloat16 else array


def exact(of: Operands) -> NDArray[Any]:
    return of.a.astype(np.float64) @ of.b.astype(np.float64)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("ways", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("image", [0, 1])
def test_half_in_every_orientation(
    products: KernelRunner, shape: tuple[int, int, int], ways: tuple[int, int], image: int
) -> None:
    plan = Plan(*shape, *ways, image=image)
    of = operands(plan, "half")
    ran = run(products, "half_float", plan, of, np.zeros((plan.m, plan.n), np.float32))
    np.testing.assert_allclose(ran.outputs[0], exact(of), rtol=1e-5, atol=1e-5)
    assert ran.codes() == set()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("ways", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_float_needs_the_image_form_to_transpose(
    products: KernelRunner, shape: tuple[int, int, int], ways: tuple[int, int]
) -> None:
    plan = Plan(*shape, *ways, image=1)
    of = operands(plan, "float")
    ran = run(products, "float_float", plan, of, np.zeros((plan.m, plan.n), np.float32))
    np.testing.assert_allclose(ran.outputs[0], exact(of), rtol=1e-4, atol=1e-4)
    assert ran.codes() == set()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("b_transposed", [0, 1])
@pytest.mark.parametrize("bias", [0, 1])
def test_int8_is_exact(products: KernelRunner, shape: tuple[int, int, int], b_transposed: int, bias: int) -> None:
    plan = Plan(*shape, b_transposed=b_transposed, bias=bias)
    of = operands(plan, "int8")
    ran = run(products, "int8_int32", plan, of, np.zeros((plan.m, plan.n), np.int32))
    np.testing.assert_array_equal(ran.outputs[0], exact(of) + of.bias * bias)
    assert ran.codes() == set()


@pytest.mark.parametrize("changes", [{"bias": 1}, {"accumulate": 1}, {"unit_flag": 1}, {"relu": 1}])
def test_what_a_product_starts_from_and_ends_with(products: KernelRunner, changes: dict[str, int]) -> None:
    plan = replace(Plan(48, 40, 64), **changes)
    of = operands(plan, "half")
    ran = run(products, "half_float", plan, of, np.zeros((plan.m, plan.n), np.float32))
    wanted = exact(of) * (1 + plan.accumulate) + of.bias * plan.bias
    np.testing.assert_allclose(ran.outputs[0], np.maximum(wanted, 0) if plan.relu else wanted, rtol=1e-5, atol=1e-4)
    assert ran.codes() == set()


def test_results_are_rounded_once_on_their_way_out(products: KernelRunner) -> None:
    plan = Plan(33, 48, 64, quant=F322F16)
    of = operands(plan, "half")
    ran = run(products, "half_half", plan, of, np.zeros((plan.m, plan.n), np.float16))
    np.testing.assert_allclose(ran.outputs[0], exact(of).astype(np.float16), rtol=1e-3)
    plan = Plan(33, 48, 64, quant=F322BF16)
    of = operands(plan, "bfloat")
    ran = run(products, "bfloat_bfloat", plan, of, np.zeros((plan.m, plan.n), ml_dtypes.bfloat16))
    out = ran.outputs[0].view(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_allclose(out, exact(of).astype(ml_dtypes.bfloat16).astype(np.float32), rtol=1e-2)


@pytest.mark.parametrize(("entry", "dtype", "quant", "chunk"), [
    ("half_float", np.float32, 0, 16), ("half_half", np.float16, F322F16, 16),
])  # fmt: skip
def test_nz_keeps_columns_of_fractals(
    products: KernelRunner, entry: str, dtype: type[np.generic], quant: int, chunk: int
) -> None:
    plan = Plan(32, 48, 32, nz=1, quant=quant)
    of = operands(plan, "half")
    ran = run(products, entry, plan, of, np.zeros((plan.n // chunk, plan.m, chunk), dtype))
    plain = ran.outputs[0].transpose(1, 0, 2).reshape(plan.m, plan.n)
    np.testing.assert_allclose(plain, exact(of), rtol=2e-3, atol=2e-3)


def float_bits(value: float) -> int:
    return struct.unpack("<I", struct.pack("<f", value))[0]


def test_dequantisation_multiplies_by_one_scale_or_one_a_column(products: KernelRunner) -> None:
    plan = Plan(32, 40, 64, quant=DEQF16, scale_low=float_bits(0.125))
    of = operands(plan, "int8")
    ran = run(products, "int8_half", plan, of, np.zeros((plan.m, plan.n), np.float16))
    np.testing.assert_array_equal(ran.outputs[0], (exact(of) * 0.125).astype(np.float16))
    factors = 2.0 ** np.arange(-8, 0)[np.arange(plan.n) % 8]
    scales = np.array([float_bits(factor) for factor in factors], np.uint64)
    ran = run(products, "int8_half", replace(plan, quant=VDEQF16), of, np.zeros((plan.m, plan.n), np.float16), scales)
    np.testing.assert_array_equal(ran.outputs[0], (exact(of) * factors).astype(np.float16))


def test_scales_are_read_before_the_result_takes_their_place(products: KernelRunner) -> None:
    plan = Plan(16, 64, 32, quant=VDEQF16, over_scales=1)
    of = operands(plan, "int8")
    factors = 2.0 ** np.arange(-8, 0)[np.arange(plan.n) % 8]
    scales = np.array([float_bits(factor) for factor in factors], np.uint64)
    ran = run(products, "int8_half", plan, of, np.zeros((4, 16, 16), np.float16), scales)
    wanted = (exact(of) * factors).astype(np.float16).reshape(16, 4, 16).transpose(1, 0, 2)
    np.testing.assert_array_equal(ran.outputs[0], wanted)


def test_requantisation_rounds_to_even_adds_the_offset_and_saturates(products: KernelRunner) -> None:
    offset = 5
    plan = Plan(32, 32, 64, quant=REQ8, scale_low=float_bits(2.0**-9), scale_high=offset << 5 | 1 << 14)
    of = operands(plan, "int8")
    ran = run(products, "int8_int8", plan, of, np.zeros((plan.m, plan.n), np.int8))
    wanted = np.clip(np.rint(exact(of) * 2.0**-9 + offset), -128, 127)
    np.testing.assert_array_equal(ran.outputs[0], wanted.astype(np.int8))


def test_hf32_keeps_eleven_bits_of_fraction(products: KernelRunner) -> None:
    plan = Plan(16, 16, 16, b_transposed=1, hf32=1)
    a = np.zeros((16, 16), np.float32)
    a[0, 0] = 1 + 2.0**-11 + 2.0**-13
    a[1, 0] = 1 + 2.0**-12
    of = Operands(a, np.eye(16, dtype=np.float32), np.zeros(16, np.float32))
    ran = run(products, "float_float", plan, of, np.zeros((16, 16), np.float32))
    assert ran.outputs[0][0, 0] == 1 + 2.0**-11
    assert ran.outputs[0][1, 0] == 1.0


def test_a_missing_flag_between_load_and_product_is_found(products: KernelRunner) -> None:
    plan = Plan(16, 16, 16, missing_flag=1)
    of = operands(plan, "half")
    ran = run(products, "half_float", plan, of, np.zeros((16, 16), np.float32))
    assert "race_raw" in ran.codes()
    assert ran.first("race_raw")["need"] == "MTE1_M"


def test_a_matrix_that_exceeds_l0_is_fatal(products: KernelRunner) -> None:
    plan = Plan(512, 16, 96)
    of = operands(plan, "half")
    ran = run(products, "half_float", plan, of, np.zeros((plan.m, plan.n), np.float32))
    assert ran.codes() == {"ub_overflow"}
    assert "L0A" in ran.first("ub_overflow")["message"]


def test_four_bits_by_the_image_form(products: KernelRunner) -> None:
    random = np.random.default_rng(7)
    a, b = random.integers(-8, 8, (32, 128)), random.integers(-8, 8, (16, 128))

    def packed(matrix: NDArray[Any]) -> NDArray[Any]:
        """NZ: fractals of 64 elements a row, two elements a byte."""
        nz = matrix.reshape(matrix.shape[0], 2, 64).transpose(1, 0, 2).ravel() & 15
        return (nz[0::2] | nz[1::2] << 4).astype(np.uint8)

    ran = products.run("four_bits", [packed(a), packed(b)], [np.zeros((32, 16), np.int32)])
    np.testing.assert_array_equal(ran.outputs[0], a @ b.T)
    assert ran.codes() == set()
