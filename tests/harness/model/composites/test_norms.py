"""Normalisations against numpy in binary64; the gradient against differences of the function itself."""

from __future__ import annotations

import numpy as np
import pytest
from harness.model.composites.conftest import Array, Runner

KERNELS = "norms.cpp"
pytestmark = pytest.mark.timeout(600)
EPSILON = 1e-3
SHAPES = [(1, 3, 16, 16), (2, 4, 64, 61), (1, 5, 144, 130)]


def data(*shape: int, dtype: type = np.float32, seed: int = 0) -> Array:
    return np.random.default_rng(seed + sum(shape)).uniform(-2, 3, shape).astype(dtype)


def normalised(x: Array, gamma: Array, beta: Array) -> tuple[Array, Array, Array]:
    wide = x.astype(np.float64)
    mean, variance = wide.mean(1, keepdims=True), wide.var(1, keepdims=True)
    return (wide - mean) / np.sqrt(variance + EPSILON) * gamma + beta, mean[:, 0], variance[:, 0]


@pytest.mark.parametrize(("b", "s", "h", "n"), SHAPES)
def test_layer_norm_of_half(runner: Runner, b: int, s: int, h: int, n: int) -> None:
    x, gamma, beta = (data(k, h, dtype=np.float16, seed=k) for k in (b * s, 1, 1))
    outputs = [np.zeros_like(x), np.zeros(b * s, np.float16), np.zeros(b * s, np.float16)]
    ran = runner("layer_norm", [x, gamma, beta], outputs, (b, s, h, n), (EPSILON,))
    epsilon = float(np.float16(EPSILON))
    wide = x[:, :n].astype(np.float64)
    mean, variance = wide.mean(1, keepdims=True), wide.var(1, keepdims=True)
    y = (wide - mean) / np.sqrt(variance + epsilon) * gamma[:, :n] + beta[:, :n]
    np.testing.assert_allclose(ran.outputs[0][:, :n], y, rtol=2**-10, atol=2e-3)
    np.testing.assert_allclose(ran.outputs[1], mean[:, 0], rtol=2**-10, atol=1e-4)
    np.testing.assert_allclose(ran.outputs[2], variance[:, 0], rtol=2**-10)


@pytest.mark.parametrize(("b", "s", "h", "n"), SHAPES)
def test_layer_norm_of_rows_without_beta(runner: Runner, b: int, s: int, h: int, n: int) -> None:
    x, gamma = data(b * s, h), data(1, h)
    outputs = [np.zeros_like(x), np.zeros(b * s, np.float32), np.zeros(b * s, np.float32)]
    ran = runner("layer_norm_rows", [x, gamma], outputs, (b, s, h, n), (EPSILON,))
    y, mean, variance = normalised(x[:, :n], gamma[:, :n], np.zeros(n))
    np.testing.assert_allclose(ran.outputs[0][:, :n], y, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(ran.outputs[1], mean, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ran.outputs[2], 1 / np.sqrt(variance + EPSILON), rtol=1e-5)


def test_deep_norm_adds_a_weighted_source(runner: Runner) -> None:
    x, gx, gamma, beta = data(6, 40), data(6, 40, seed=1), data(1, 40), data(1, 40, seed=2)
    outputs = [np.zeros_like(x), np.zeros(6, np.float32)]
    ran = runner("deep_norm", [x, gx, gamma, beta], outputs, (2, 3, 40, 40), (EPSILON, 0.75))
    y, _, variance = normalised(0.75 * x + gx, gamma, beta)
    np.testing.assert_allclose(ran.outputs[0], y, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(ran.outputs[1], variance, rtol=1e-5)


@pytest.mark.parametrize(("b", "s", "h", "n"), SHAPES)
def test_rms_norm(runner: Runner, b: int, s: int, h: int, n: int) -> None:
    x, gamma = data(b * s, h), data(1, h)
    ran = runner("rms_norm", [x, gamma], [np.zeros_like(x)], (b, s, h, n), (EPSILON,))
    wide = x[:, :n].astype(np.float64)
    y = wide / np.sqrt((wide**2).mean(1, keepdims=True) + EPSILON) * gamma[:, :n]
    np.testing.assert_allclose(ran.outputs[0][:, :n], y, rtol=1e-5)


def test_batch_norm_goes_down_the_rows(runner: Runner) -> None:
    x, gamma, beta = data(8, 24), data(1, 8), data(1, 8, seed=1)
    outputs = [np.zeros_like(x), np.zeros(24, np.float32), np.zeros(24, np.float32)]
    ran = runner("batch_norm", [x, gamma, beta], outputs, (8, 1, 24, 24), (EPSILON,))
    y, mean, variance = normalised(x.T, gamma, beta)
    np.testing.assert_allclose(ran.outputs[0], y.T, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(ran.outputs[1], mean, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ran.outputs[2], variance, rtol=1e-5)


def test_gradients_are_slopes_of_the_function(runner: Runner) -> None:
    x, dy, gamma = data(3, 16), data(3, 16, seed=1), data(1, 16)
    mean, variance = x.mean(1), x.var(1)
    outputs = [np.zeros_like(x), np.zeros(16, np.float32), np.zeros(16, np.float32)]
    ran = runner("norm_grad", [dy, x, gamma, mean, variance], outputs, (1, 3, 16, 16), (EPSILON,))

    def loss(values: Array) -> float:
        return float((normalised(values, gamma, np.zeros(16))[0] * dy).sum())

    slopes = np.zeros_like(x, np.float64)
    for at in np.ndindex(x.shape):
        up, down = x.astype(np.float64), x.astype(np.float64)
        up[at] += 1e-4
        down[at] -= 1e-4
        slopes[at] = (loss(up) - loss(down)) / 2e-4
    np.testing.assert_allclose(ran.outputs[0], slopes, rtol=1e-3, atol=1e-4)
    plain = normalised(x, np.ones(16), np.zeros(16))[0]
    np.testing.assert_allclose(ran.outputs[1], (plain * dy).sum(0), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(ran.outputs[2], dy.astype(np.float64).sum(0), rtol=1e-5, atol=1e-5)


def test_welford_takes_one_sample_after_another(runner: Runner) -> None:
    samples = data(5, 64, dtype=np.float16)
    mean, total = np.zeros(64, np.float32), np.zeros(64, np.float32)
    for k, sample in enumerate(samples, 1):
        ran = runner("welford", [sample, mean, total], [mean.copy(), total.copy()], (64, 50), (1 / k,))
        mean, total = ran.outputs
    wide = samples[:, :50].astype(np.float64)
    np.testing.assert_allclose(mean[:50], wide.mean(0), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(total[:50], wide.var(0) * 5, rtol=1e-4, atol=1e-5)
    assert not mean[50:].any() and not total[50:].any()


@pytest.mark.parametrize("given", [0, 1])
def test_parts_become_one_mean_and_variance(runner: Runner, given: int) -> None:
    """Sixteen parts of 5 samples and eight of 4: what numpy says of all samples together."""
    parts = [data(5 if i < 16 else 4, 1, seed=i)[:, 0] for i in range(24)]
    means = np.array([p.mean() for p in parts], np.float32)
    sums = np.array([p.var() * p.size for p in parts], np.float32)
    counts = np.array([p.size for p in parts], np.int32)
    one = np.zeros(1, np.float32)
    samples = np.concatenate(parts).astype(np.float64)
    ran = runner("finalised", [means, sums, counts], [one, one], (24, 5, 16, 4, given), (1 / samples.size,))
    np.testing.assert_allclose(ran.outputs[0], samples.mean(), rtol=1e-5)
    np.testing.assert_allclose(ran.outputs[1], samples.var(), rtol=1e-5)


def test_normalisation_with_given_moments(runner: Runner) -> None:
    x, gamma, beta = data(5, 40), data(1, 40), data(1, 40, seed=1)
    mean, variance = x[:, :37].mean(1), x[:, :37].var(1)
    outputs = [np.zeros_like(x), np.zeros(5, np.float32)]
    ran = runner("moments_given", [x, mean, variance, gamma, beta], outputs, (1, 5, 40, 37), (EPSILON,))
    y, _, spread = normalised(x[:, :37], gamma[:, :37], beta[:, :37])
    np.testing.assert_allclose(ran.outputs[0][:, :37], y, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(ran.outputs[1], 1 / np.sqrt(spread + EPSILON), rtol=1e-5)
