"""The Matmul library against numpy: formats, orientations, tails, ways to take the result, partial sums, both cores."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from harness.model.kernels.kernel_runner import KernelRunner, Ran
from numpy.typing import NDArray

pytestmark = pytest.mark.timeout(1200)

# In the order of TCubeTiling; the rest of its 50 fields is zero here.
_FIELDS = (
    *("usedCoreNum", "M", "N", "Ka", "Kb", "singleCoreM", "singleCoreN", "singleCoreK", "baseM", "baseN", "baseK"),
    *("depthA1", "depthB1", "stepM", "stepN", "isBias", "transLength", "iterateOrder"),
)
_OPTIONS = (
    *("a_transposed", "b_transposed", "tail_m", "tail_n", "tail_k", "way", "atomic", "hf32"),
    *("scale_low", "scale_high", "split_k", "padding"),
)
_TILING_WORDS = 50


@dataclass(frozen=True)
class Plan:
    m: int
    n: int
    k: int
    base: tuple[int, int, int] = (32, 32, 32)
    bias: bool = False
    order: int = 0
    options: dict[str, int] = field(default_factory=dict[str, int])

    def packed(self) -> bytes:
        values = dict.fromkeys(_FIELDS, 1) | {
            "M": self.m, "N": self.n, "Ka": self.k, "Kb": self.k,
            "singleCoreM": self.m, "singleCoreN": self.n, "singleCoreK": self.k,
            "baseM": self.base[0], "baseN": self.base[1], "baseK": self.base[2],
            "isBias": int(self.bias), "iterateOrder": self.order, "depthA1": 2, "depthB1": 2,
        }  # fmt: skip
        words = [values[name] for name in _FIELDS]
        words += [0] * (_TILING_WORDS - len(words))
        return struct.pack(f"<{_TILING_WORDS}i12I", *words, *(self.options.get(name, 0) for name in _OPTIONS))


def operands(plan: Plan, kind: str = "half") -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    random = np.random.default_rng(1)
    if kind == "int8":
        a = random.integers(-128, 128, (plan.m, plan.k)).astype(np.int8)
        b = random.integers(-128, 128, (plan.k, plan.n)).astype(np.int8)
        return a, b, random.integers(-1000, 1000, plan.n).astype(np.int32)
    dtype = np.float16 if kind == "half" else np.float32
    a = random.normal(size=(plan.m, plan.k)).astype(dtype)
    b = random.normal(size=(plan.k, plan.n)).astype(dtype)
    return a, b, random.normal(size=plan.n).astype(np.float32)


def run(matmuls: KernelRunner, entry: str, plan: Plan, of: tuple[NDArray[Any], ...], out: NDArray[Any]) -> Ran:
    a = np.ascontiguousarray(of[0].T) if plan.options.get("a_transposed") else of[0]
    b = np.ascontiguousarray(of[1].T) if plan.options.get("b_transposed") else of[1]
    return matmuls.run(entry, [a, b, of[2]], [out], tiling=plan.packed(), workspace=1 << 20)


def exact(of: tuple[NDArray[Any], ...]) -> NDArray[Any]:
    return of[0].astype(np.float64) @ of[1].astype(np.float64)


def to_nz(matrix: NDArray[Any], width: int = 16) -> NDArray[Any]:
    rows, columns = -(-matrix.shape[0] // 16) * 16, -(-matrix.shape[1] // width) * width
    padded = np.zeros((rows, columns), matrix.dtype)
    padded[: matrix.shape[0], : matrix.shape[1]] = matrix
    return np.ascontiguousarray(padded.reshape(rows, columns // width, width).transpose(1, 0, 2))


@pytest.mark.parametrize("shape", [(32, 32, 32), (64, 96, 128), (50, 70, 90), (100, 33, 17)])
@pytest.mark.parametrize("ways", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("entry", ["half_float", "on_the_cube_core"])
def test_any_shape_and_orientation(
    matmuls: KernelRunner, entry: str, shape: tuple[int, int, int], ways: tuple[int, int]
) -> None:
    plan = Plan(*shape, bias=True, options={"a_transposed": ways[0], "b_transposed": ways[1]})
    of = operands(plan)
    ran = run(matmuls, entry, plan, of, np.zeros((plan.m, plan.n), np.float32))
    np.testing.assert_allclose(ran.outputs[0], exact(of) + of[2], rtol=1e-4, atol=1e-4)
    assert ran.codes() == set()


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("way", [0, 1])
def test_tiles_fill_the_result_in_either_order(matmuls: KernelRunner, order: int, way: int) -> None:
    plan = Plan(80, 96, 64, order=order, options={"way": way})
    of = operands(plan)
    ran = run(matmuls, "half_float", plan, of, np.zeros((plan.m, plan.n), np.float32))
    np.testing.assert_allclose(ran.outputs[0], exact(of), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("order", "way"), [(0, 2), (1, 2), (0, 3), (1, 3)])
def test_tiles_in_a_row_come_in_the_order_of_the_tiling(matmuls: KernelRunner, order: int, way: int) -> None:
    plan = Plan(64, 96, 64, order=order, options={"way": way})
    of = operands(plan)
    ran = run(matmuls, "half_float", plan, of, np.zeros((6, 32, 32), np.float32))
    tiles = exact(of).reshape(2, 32, 3, 32).transpose((2, 0, 1, 3) if order == 0 else (0, 2, 1, 3))
    np.testing.assert_allclose(ran.outputs[0], tiles.reshape(6, 32, 32), rtol=1e-4, atol=1e-4)
    assert ran.codes() == set()


def test_a_tail_computes_less_and_leaves_the_rest_alone(matmuls: KernelRunner) -> None:
    plan = Plan(64, 64, 64, options={"tail_m": 40, "tail_n": 24, "tail_k": 48})
    of = operands(plan)
    ran = run(matmuls, "half_float", plan, of, np.zeros((64, 64), np.float32))
    wanted = of[0][:40, :48].astype(np.float64) @ of[1][:48, :24].astype(np.float64)
    np.testing.assert_allclose(ran.outputs[0][:40, :24], wanted, rtol=1e-4, atol=1e-4)
    assert np.isnan(ran.outputs[0][40:]).all()
    assert np.isnan(ran.outputs[0][:, 24:]).all()


@pytest.mark.parametrize(("entry", "which"), [("nz_a", 0), ("nz_b", 1)])
@pytest.mark.parametrize("shape", [(32, 64, 96), (40, 50, 60)])
def test_operands_in_nz(matmuls: KernelRunner, entry: str, which: int, shape: tuple[int, int, int]) -> None:
    plan = Plan(*shape)
    of = operands(plan)
    stored = [*of]
    stored[which] = to_nz(of[which])
    ran = matmuls.run(entry, stored, [np.zeros((plan.m, plan.n), np.float32)], tiling=plan.packed())
    np.testing.assert_allclose(ran.outputs[0], exact(of), rtol=1e-4, atol=1e-4)
    assert ran.codes() == set()


def test_result_in_nz(matmuls: KernelRunner) -> None:
    plan = Plan(64, 96, 64)
    of = operands(plan)
    ran = run(matmuls, "nz_c", plan, of, np.zeros((6, 64, 16), np.float16))
    np.testing.assert_allclose(ran.outputs[0], to_nz(exact(of)), rtol=2e-3, atol=2e-3)


def test_result_in_fractals_of_half_their_channels(matmuls: KernelRunner) -> None:
    plan = Plan(64, 88, 64)
    of = operands(plan)
    ran = run(matmuls, "nz_c_split", plan, of, np.zeros((11, 64, 8), np.float32))
    np.testing.assert_allclose(ran.outputs[0], to_nz(exact(of), 8), rtol=1e-4, atol=1e-4)


def test_integers_are_exact_and_leave_scaled(matmuls: KernelRunner) -> None:
    plan = Plan(50, 70, 90, bias=True)
    of = operands(plan, "int8")
    ran = run(matmuls, "int8_int32", plan, of, np.zeros((plan.m, plan.n), np.int32))
    np.testing.assert_array_equal(ran.outputs[0], exact(of) + of[2])
    scale = struct.unpack("<I", struct.pack("<f", 0.0625))[0]
    plan = replace(plan, options={"scale_low": scale})
    ran = run(matmuls, "int8_half", plan, of, np.zeros((plan.m, plan.n), np.float16))
    np.testing.assert_array_equal(ran.outputs[0], ((exact(of) + of[2]) * 0.0625).astype(np.float16))


def test_atomic_results_add_up(matmuls: KernelRunner) -> None:
    plan = Plan(32, 32, 64, options={"atomic": 1})
    of = operands(plan, "float")
    first = matmuls.run("float_float", [*of], [np.zeros((32, 32), np.float32)], tiling=plan.packed())
    assert np.isnan(first.outputs[0]).all(), "outputs start as NaN, and the sum keeps that"


def test_hf32_loses_bits_of_the_operands(matmuls: KernelRunner) -> None:
    plan = Plan(32, 32, 32, options={"hf32": 1})
    a = np.zeros((32, 32), np.float32)
    a[0, 0] = 1 + 2.0**-11 + 2.0**-13
    ran = run(matmuls, "float_float", plan, (a, np.eye(32, dtype=np.float32), a[0]), np.zeros((32, 32), np.float32))
    assert ran.outputs[0][0, 0] == 1 + 2.0**-11


def test_partial_products_add_up_before_they_leave(matmuls: KernelRunner) -> None:
    plan = Plan(32, 32, 128, options={"split_k": 4})
    of = operands(plan)
    ran = run(matmuls, "half_half", plan, (*of[:2], of[2].astype(np.float16)), np.zeros((32, 32), np.float16))
    np.testing.assert_allclose(ran.outputs[0], exact(of), rtol=2e-3, atol=2e-3)


def test_operand_and_result_in_ub(matmuls: KernelRunner) -> None:
    plan = Plan(64, 48, 96, base=(64, 48, 32))
    of = operands(plan)
    ran = run(matmuls, "through_ub", plan, of, np.zeros((64, 48), np.float32))
    np.testing.assert_allclose(ran.outputs[0], 2 * exact(of), rtol=1e-4, atol=1e-4)
    assert ran.codes() == set()


def test_an_operand_that_is_too_short_is_fatal(matmuls: KernelRunner) -> None:
    plan = Plan(64, 64, 64)
    a, b, bias = operands(plan)
    ran = matmuls.run("half_float", [a[:32], b, bias], [np.zeros((64, 64), np.float32)], tiling=plan.packed())
    assert ran.codes() == {"gm_out_of_bounds"}
