"""Sum, Mean, reductions by pattern, CumSum and the softmax family against numpy in binary64."""

from __future__ import annotations

import numpy as np
import pytest
from harness.model.composites.conftest import Array, Runner

KERNELS = "rows.cpp"
pytestmark = pytest.mark.timeout(600)


def matrix(rows: int, pitch: int, dtype: type = np.float32, seed: int = 0) -> Array:
    return np.random.default_rng(seed).uniform(-3, 3, (rows, pitch)).astype(dtype)


@pytest.mark.parametrize(("rows", "pitch", "n"), [(1, 8, 5), (7, 16, 16), (3, 264, 257), (40, 64, 63)])
def test_sum_takes_the_elements_that_count(runner: Runner, rows: int, pitch: int, n: int) -> None:
    x = matrix(rows, pitch)
    ran = runner("sum_float", [x], [np.zeros(rows, np.float32)], (rows, pitch, n))
    np.testing.assert_allclose(ran.outputs[0], x[:, :n].astype(np.float64).sum(1), rtol=1e-5, atol=1e-5)


def test_half_sums_round_at_each_level_of_the_tree(runner: Runner) -> None:
    x = np.zeros((1, 16), np.float16)
    # 2048 + 1 is 2048 in half: the ones only count when they meet each other first.
    x[0, :8] = [2048, 1, 1, 1, 1, 1, 1, 1]
    ran = runner("sum_half", [x], [np.zeros(1, np.float16)], (1, 16, 8))
    # pairs: 2048, 2, 2, 2; then 2050, 4; then 2054
    assert ran.outputs[0][0] == 2054


@pytest.mark.parametrize(("rows", "pitch", "n"), [(2, 16, 3), (5, 144, 130)])
def test_mean_in_a_wider_type(runner: Runner, rows: int, pitch: int, n: int) -> None:
    x = matrix(rows, pitch, np.float16)
    ran = runner("mean_half", [x], [np.zeros(rows, np.float16)], (rows, pitch, n))
    np.testing.assert_allclose(ran.outputs[0], x[:, :n].astype(np.float64).mean(1), rtol=2**-10, atol=1e-4)


@pytest.mark.parametrize("kind", [0, 1, 2, 3, 6])
@pytest.mark.parametrize(("rows", "columns"), [(2, 8), (5, 72), (9, 128), (1, 16)])
def test_reductions_by_pattern(runner: Runner, kind: int, rows: int, columns: int) -> None:
    x = matrix(rows, columns, seed=kind)
    numpy = {0: np.sum, 1: np.max, 2: np.min, 3: np.prod, 6: np.mean}[kind]
    for entry, axis, size in (("reduce_columns", 1, rows), ("reduce_rows", 0, columns)):
        ran = runner(entry, [x], [np.zeros(size, np.float32)], (rows, columns, columns, size, kind))
        np.testing.assert_allclose(ran.outputs[0], numpy(x.astype(np.float64), axis=axis), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("rows", "columns"), [(1, 8), (4, 16), (16, 48)])
@pytest.mark.parametrize("along", [0, 1])
def test_running_sums(runner: Runner, rows: int, columns: int, along: int) -> None:
    x = matrix(rows, columns)
    ran = runner("running", [x], [np.zeros_like(x), np.zeros(columns, np.float32)], (rows, columns, along))
    expected = np.cumsum(x.astype(np.float64), axis=along)
    np.testing.assert_allclose(ran.outputs[0], expected, rtol=1e-5, atol=1e-5)
    if not along:
        np.testing.assert_allclose(ran.outputs[1], expected[-1], rtol=1e-5, atol=1e-5)


def softmax(x: Array) -> tuple[Array, Array, Array]:
    wide = x.astype(np.float64)
    largest = wide.max(1, keepdims=True)
    e = np.exp(wide - largest)
    return e / e.sum(1, keepdims=True), e.sum(1), largest[:, 0]


@pytest.mark.parametrize(("rows", "pitch", "n"), [(1, 8, 8), (5, 64, 64), (3, 136, 129)])
def test_softmax_with_its_sums_and_maxima(runner: Runner, rows: int, pitch: int, n: int) -> None:
    x = matrix(rows, pitch)
    outputs = [np.zeros_like(x), np.zeros((rows, 8), np.float32), np.zeros((rows, 8), np.float32)]
    ran = runner("softmax", [x], outputs, (rows, pitch, n))
    y, sums, maxima = softmax(x[:, :n])
    np.testing.assert_allclose(ran.outputs[0][:, :n], y, rtol=1e-5)
    # One 32 B block of equal values for each row.
    np.testing.assert_allclose(ran.outputs[1], np.repeat(sums[:, None], 8, 1), rtol=1e-5)
    np.testing.assert_array_equal(ran.outputs[2], np.repeat(maxima[:, None], 8, 1).astype(np.float32))


@pytest.mark.parametrize("logarithm", [0, 1])
def test_softmax_of_half(runner: Runner, logarithm: int) -> None:
    x = matrix(6, 48, np.float16)
    ran = runner("softmax_half", [x], [np.zeros_like(x)], (6, 48, 48, logarithm))
    y = softmax(x)[0]
    np.testing.assert_allclose(ran.outputs[0], np.log10(y) if logarithm else y, rtol=2**-9, atol=2**-11)


@pytest.mark.parametrize("first_version", [0, 1])
def test_flash_softmax_in_two_tiles_equals_one_softmax(runner: Runner, first_version: int) -> None:
    rows, width = 5, 40
    x = np.stack([matrix(rows, width, seed=1), matrix(rows, width, seed=2) + 1])
    outputs = [np.zeros_like(x), np.zeros((rows, 8), np.float32), np.zeros((rows, 8), np.float32)]
    ran = runner("flash", [x], outputs, (rows, width, width, first_version))
    whole, sums, maxima = softmax(np.concatenate([x[0], x[1]], axis=1))
    np.testing.assert_allclose(ran.outputs[1][:, 0], sums, rtol=1e-5)
    before = x[0].astype(np.float64).max(1)
    factor = np.exp(before - maxima)
    if first_version:
        # dst is divided by the sum so far; the factor corrects the tile before.
        first_sum = np.exp(x[0].astype(np.float64) - before[:, None]).sum(1)
        factor = factor * first_sum / sums
        np.testing.assert_allclose(ran.outputs[0][1], whole[:, width:], rtol=2e-5)
        np.testing.assert_allclose(ran.outputs[0][0] * factor[:, None], whole[:, :width], rtol=2e-5)
    else:
        np.testing.assert_allclose(ran.outputs[0][1] / sums[:, None], whole[:, width:], rtol=2e-5)
        np.testing.assert_allclose(ran.outputs[0][0] * (factor / sums)[:, None], whole[:, :width], rtol=2e-5)
    np.testing.assert_allclose(ran.outputs[2][:, 0], factor, rtol=1e-5)


def test_gradient_of_softmax(runner: Runner) -> None:
    rows, width = 4, 72
    grad, y = matrix(rows, width, seed=3), softmax(matrix(rows, width, seed=4))[0].astype(np.float32)
    ran = runner("softmax_grad", [grad, y], [np.zeros_like(y), np.zeros((rows, 8), np.float32)], (rows, width, width))
    inner = (grad.astype(np.float64) * y).sum(1, keepdims=True)
    np.testing.assert_allclose(ran.outputs[0], (grad - inner) * y, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(ran.outputs[1], np.repeat(inner, 8, 1), rtol=1e-4, atol=1e-6)


def test_rows_with_a_given_maximum_are_replaced(runner: Runner) -> None:
    x = matrix(3, 16)
    maxima = np.repeat(np.array([1.0, -5.0, 2.0], np.float32)[:, None], 8, 1)
    ran = runner("adjust", [x, maxima], [np.zeros_like(x)], (3, 16), (-5.0, 0.25))
    expected = x.copy()
    expected[1] = 0.25
    np.testing.assert_array_equal(ran.outputs[0], expected)


def shifted(x: Array, scale: float) -> tuple[Array, Array]:
    """Rows less the deviations of their parts' means, and the rows' means; as the documentation writes it."""
    rows, n = x.shape
    groups = x[:, :512].reshape(rows, 8, 64).sum(2) + x[:, 512:].reshape(rows, -1, 8, 8).sum((1, 3))
    parts = groups / (n / 8)
    mean = parts.mean(1, keepdims=True)
    return x - np.repeat((mean - parts) * scale, n // 8, axis=1), mean


def test_flash_softmax_with_shifted_scores(runner: Runner) -> None:
    rows, n, alpha = 4, 576, 0.5
    x = matrix(2 * rows, n, np.float16)
    outputs = [np.zeros_like(x), np.zeros((3, rows, 8), np.float32), np.zeros((rows, 16), np.float16)]
    ran = runner("flash_shifted", [x], outputs, (rows, n), (alpha,))
    scale = alpha / (1 - alpha)
    first, mean = shifted(x[:rows].astype(np.float64), scale)
    maximum = first.max(1, keepdims=True)
    total = np.exp(first - maximum).sum(1, keepdims=True)
    np.testing.assert_allclose(ran.outputs[0][:rows], np.exp(first - maximum), rtol=2**-9, atol=1e-6)
    second, own = shifted(x[rows:].astype(np.float64), scale)
    both = (own + mean) / 2
    here, before = (own - both) * scale, (mean - both) * scale
    largest = np.maximum(second.max(1, keepdims=True) + here, maximum + before)
    y = np.exp(second - (largest - here))
    factor = np.exp(maximum - largest + before)
    np.testing.assert_allclose(ran.outputs[0][rows:], y, rtol=2**-9, atol=1e-6)
    np.testing.assert_allclose(ran.outputs[2][:, :1], factor, rtol=2**-9)
    for found, expected in zip(ran.outputs[1], (both, factor * total + y.sum(1, keepdims=True), largest), strict=True):
        np.testing.assert_allclose(found, np.repeat(expected, 8, axis=1), rtol=1e-4, atol=1e-5)
