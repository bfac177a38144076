"""Batches of products by the Matmul library against numpy: each layout, operands used again, sums, biases.

The axes of a layout are those of the documentation of IterateBatch: B batch, N and G heads, S rows, D columns.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from harness.model.kernels.kernel_runner import KernelRunner, Ran
from numpy.typing import NDArray

pytestmark = pytest.mark.timeout(1200)

_HEAD = (
    *("usedCoreNum", "M", "N", "Ka", "Kb", "singleCoreM", "singleCoreN", "singleCoreK", "baseM", "baseN", "baseK"),
    *("depthA1", "depthB1", "stepM", "stepN", "isBias", "transLength", "iterateOrder"),
)
# Words of TCubeTiling before the axes of A, B and C.
_FIRST_AXIS = 33
_ORDER = {"bsngd": (0, 3, 1, 2, 4), "sbngd": (3, 0, 1, 2, 4), "bngss": (0, 1, 2, 3, 4), "normal": (0, 1, 2, 3, 4)}


@dataclass(frozen=True)
class Batch:
    """Products of m x k by k x n matrices over heads (B, N, G) of each operand and of the result."""

    m: int
    n: int
    k: int
    a: tuple[int, int, int]
    b: tuple[int, int, int]
    c: tuple[int, int, int]
    counts: tuple[int, int]
    base: tuple[int, int, int] = (32, 32, 32)
    a_transposed: bool = False
    b_transposed: bool = True
    bias: bool = False
    calls: int = 0
    fetched: bool = False

    def packed(self) -> bytes:
        values = dict.fromkeys(_HEAD, 1) | {
            "M": self.m, "N": self.n, "Ka": self.k, "Kb": self.k,
            "singleCoreM": self.m, "singleCoreN": self.n, "singleCoreK": self.k,
            "baseM": self.base[0], "baseN": self.base[1], "baseK": self.base[2],
            "isBias": int(self.bias), "iterateOrder": 0, "depthA1": 2, "depthB1": 2,
        }  # fmt: skip
        words = [values[name] for name in _HEAD]
        words += [0] * (_FIRST_AXIS - len(words))
        rows_a, rows_b = (self.k if self.a_transposed else self.m), (self.n if self.b_transposed else self.k)
        for heads, s, d in (
            (self.a, rows_a, self.m + self.k - rows_a),
            (self.b, rows_b, self.n + self.k - rows_b),
            (self.c, self.m, self.n),
        ):
            words += [heads[0], s, heads[1], heads[2], d]
        words += [max(self.counts), 0]
        options = (self.a_transposed, self.b_transposed, *self.counts, self.calls, self.fetched)
        return struct.pack(f"<{len(words)}i{len(options)}I", *words, *(int(option) for option in options))

    def operands(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """A and B by head: (B, N, G, rows, columns)."""
        random = np.random.default_rng(5)
        a = random.normal(size=(*self.a, self.m, self.k)).astype(np.float16)
        return a, random.normal(size=(*self.b, self.k, self.n)).astype(np.float16)

    def run(self, runner: KernelRunner, layout: str, out: str, bias: NDArray[Any], entry: str = "") -> Ran:
        a, b = self.operands()
        stored_a = a.swapaxes(-1, -2) if self.a_transposed else a
        stored_b = b.swapaxes(-1, -2) if self.b_transposed else b
        shape = np.zeros((*self.c, self.m, self.n)).transpose(_ORDER[out]).shape
        return runner.run(
            entry or layout,
            [stored(stored_a, layout), stored(stored_b, layout), bias],
            [np.zeros(shape, np.float32)],
            tiling=self.packed(),
            workspace=1 << 20,
        )

    def wanted(self, out: str) -> NDArray[Any]:
        a, b = self.operands()
        products = a.astype(np.float64) @ b.astype(np.float64)
        if self.c[2] == 1:
            products = products.sum(axis=2, keepdims=True)
        return stored(products, out)


def stored(matrices: NDArray[Any], layout: str) -> NDArray[Any]:
    return np.ascontiguousarray(matrices.transpose(_ORDER[layout]))


NONE = np.zeros(1, np.float32)


@pytest.mark.parametrize("ways", [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize(
    ("layout", "out", "entry"),
    [("bsngd", "bsngd", ""), ("sbngd", "sbngd", ""), ("bngss", "bngss", ""), ("bsngd", "bngss", "bsngd_to_bngss")],
)
def test_layouts_and_orientations(
    batches: KernelRunner, layout: str, out: str, entry: str, ways: tuple[bool, bool]
) -> None:
    heads = (1, 2, 3)
    plan = Batch(40, 48, 64, heads, heads, heads, (6, 6), a_transposed=ways[0], b_transposed=ways[1])
    ran = plan.run(batches, layout, out, NONE, entry)
    np.testing.assert_allclose(ran.outputs[0], plan.wanted(out), rtol=1e-4, atol=1e-4)
    assert ran.codes() == set()


@pytest.mark.parametrize("few", ["a", "b"])
@pytest.mark.parametrize(
    ("many", "own"), [((1, 2, 3), (1, 2, 1)), ((1, 3, 2), (1, 1, 2)), ((2, 3, 1), (1, 3, 1))], ids=["G", "N", "B"]
)
def test_an_axis_of_length_one_is_used_again(
    batches: KernelRunner, few: str, many: tuple[int, int, int], own: tuple[int, int, int]
) -> None:
    a, b = (own, many) if few == "a" else (many, own)
    counts = (int(np.prod(a)), int(np.prod(b)))
    plan = Batch(32, 32, 32, a, b, many, counts)
    ran = plan.run(batches, "bngss", "bngss", NONE)
    np.testing.assert_allclose(ran.outputs[0], plan.wanted("bngss"), rtol=1e-4, atol=1e-4)


def test_heads_that_the_result_lacks_add_up(batches: KernelRunner) -> None:
    plan = Batch(32, 32, 64, (1, 2, 3), (1, 2, 3), (1, 2, 1), (6, 6))
    ran = plan.run(batches, "bsngd", "bsngd", NONE)
    np.testing.assert_allclose(ran.outputs[0], plan.wanted("bsngd"), rtol=1e-4, atol=1e-4)


def test_heads_add_up_in_one_block_only(batches: KernelRunner) -> None:
    plan = Batch(64, 32, 64, (1, 2, 3), (1, 2, 3), (1, 2, 1), (6, 6))
    assert plan.run(batches, "bsngd", "bsngd", NONE).codes() == {"matmul_tiling"}


def test_two_heads_for_three_are_refused(batches: KernelRunner) -> None:
    plan = Batch(32, 32, 64, (1, 1, 2), (1, 1, 3), (1, 1, 3), (2, 3))
    assert plan.run(batches, "bngss", "bngss", NONE).codes() == {"unsupported"}


def test_matrices_in_a_row_serve_as_many_as_come_to_each(batches: KernelRunner) -> None:
    plan = Batch(32, 32, 32, (2, 1, 1), (4, 1, 1), (4, 1, 1), (2, 4))
    ran = plan.run(batches, "normal", "normal", NONE)
    a, b = plan.operands()
    wanted = np.repeat(a, 2, axis=0).astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(ran.outputs[0], wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("entry", ["normal", "one_bias"])
def test_biases(batches: KernelRunner, entry: str) -> None:
    heads = (3, 1, 1)
    plan = Batch(32, 48, 32, heads, heads, heads, (3, 3), bias=True)
    bias = np.arange(3 * 48, dtype=np.float32).reshape(3, 1, 1, 1, 48)
    ran = plan.run(batches, "normal", "normal", bias, entry)
    own = bias if entry == "normal" else bias[:1]
    np.testing.assert_allclose(ran.outputs[0], plan.wanted("normal") + own, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("layout", ["normal", "bsngd", "bngss"])
def test_several_batches_in_one_call(batches: KernelRunner, layout: str) -> None:
    heads = (2, 2, 3)
    plan = Batch(32, 32, 32, heads, heads, heads, (3, 3), calls=4)
    ran = plan.run(batches, layout, layout, NONE)
    np.testing.assert_allclose(ran.outputs[0], plan.wanted(layout), rtol=1e-4, atol=1e-4)


def test_batches_are_taken_one_after_another(batches: KernelRunner) -> None:
    heads = (4, 1, 2)
    plan = Batch(32, 32, 32, heads, heads, heads, (2, 2), calls=4, fetched=True)
    ran = plan.run(batches, "bngss", "bngss", NONE)
    np.testing.assert_allclose(ran.outputs[0], plan.wanted("bngss"), rtol=1e-4, atol=1e-4)
    assert ran.codes() == set()


@pytest.mark.parametrize("shape", [(64, 96, 128), (40, 33, 50)])
def test_a_tiling_known_when_the_kernel_is_compiled(batches: KernelRunner, shape: tuple[int, int, int]) -> None:
    heads = (1, 1, 1)
    plan = Batch(*shape, heads, heads, heads, (1, 1), b_transposed=False)
    bias = np.arange(plan.n, dtype=np.float32)
    ran = plan.run(batches, "normal", "normal", bias, "known_tiling")
    np.testing.assert_allclose(ran.outputs[0], plan.wanted("normal") + bias, rtol=1e-4, atol=1e-3)
    assert ran.codes() == set()
