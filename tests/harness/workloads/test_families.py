"""References of the families against values worked out by hand or taken from published tables."""

from __future__ import annotations

import math

import numpy as np
import pytest

from .test_catalogue import reference


def test_dawson_at_tabulated_points() -> None:
    # Abramowitz and Stegun, table 7.5: F(0.5), F(1), F(2), F(-3).
    (y,) = reference("Dawsn", [np.float32([0.5, 1, 2, -3])])
    assert y.tolist() == pytest.approx([0.4244363835, 0.5380795069, 0.3013403889, -0.1782710306], rel=1e-6)


def test_swish_and_its_relatives() -> None:
    # sigmoid(ln 3) is 3/4.
    (y,) = reference("Swish", [np.float32([math.log(3)])], scale=1.0)
    assert y[0] == pytest.approx(0.75 * math.log(3), rel=1e-6)
    grad = reference("FastGeluGrad", [np.float32([2]), np.float32([0])])[0]
    assert grad[0] == pytest.approx(1.0)
    # The derivative of gelu at 0 is 1/2, far to the right it is 1.
    grad = reference("GeluGrad", [np.float32([1, 1]), np.float32([0, 9]), np.float32([0, 0])])[0]
    assert grad.tolist() == pytest.approx([0.5, 1.0])


def test_gradients_are_the_slopes_of_their_functions() -> None:
    x, step = np.float32([-1.3, 0.4, 2.1]), 1e-3
    ones = np.ones_like(x)
    for gradient, forward in (("FastGeluGrad", "FastGelu"), ("GeluGrad", "Gelu")):
        inputs = [ones, x, ones] if gradient == "GeluGrad" else [ones, x]
        right, left = (reference(forward, [np.float64(x) + s])[0] for s in (step, -step))
        slope = (right - left) / (2 * step)
        assert reference(gradient, inputs)[0].tolist() == pytest.approx(slope.tolist(), rel=5e-3)


def test_comparisons_and_whole_numbers() -> None:
    assert reference("Equal", [np.float32([1, 2]), np.float32([1, 3])])[0].tolist() == [True, False]
    assert reference("LessEqual", [np.int8([1, 4]), np.int8([1, 3])])[0].tolist() == [True, False]
    assert reference("Gcd", [np.int32([12, -8]), np.int32([18, 20])])[0].tolist() == [6, 4]
    assert reference("Heaviside", [np.float32([-1, 0, 2]), np.float32([7, 8, 9])])[0].tolist() == [0, 8, 1]
    three = [np.int32([1]), np.int32([2]), np.int32([3]), np.int32([4])]
    assert reference("Addcmul", three)[0].tolist() == [25]


def test_foreach_factors_meet_their_tensors() -> None:
    x = [np.float32([1, 2]), np.float32([[4]])]
    assert [y.tolist() for y in reference("ForeachAddScalarList", [*x, np.float32([10, 20])])] == [[11, 12], [[24]]]
    assert [y.tolist() for y in reference("ForeachPowScalarAndTensor", [np.float32([2]), *x])] == [[2, 4], [[16]]]
    pairs = [np.float32([0]), np.float32([10]), np.float32([4]), np.float32([20]), np.float32([0.5])]
    assert [y.tolist() for y in reference("ForeachLerpScalar", pairs)] == [[2], [15]]
    lists = [np.float32([v]) for v in (1, 2, 3, 4, 2, 4)] + [np.float32([10, 20])]
    assert [y.tolist() for y in reference("ForeachAddcdivList", lists)] == [[16], [22]]
    assert reference("ForeachNorm", [np.float32([3, -4]), np.float32([2])])[0].tolist() == [5]
    assert reference("ForeachNorm", [np.float32([3, -4]), np.int64([1])])[0].tolist() == [7]


def test_unscaling_notes_what_is_not_finite() -> None:
    fine = reference("ForeachNonFiniteCheckAndUnscale", [np.float32([8]), np.float32([0]), np.float32([0.25])])
    assert [array.tolist() for array in fine] == [[2], [0]]
    odd = reference("ForeachNonFiniteCheckAndUnscale", [np.float32([np.inf]), np.float32([0]), np.float32([0.25])])
    assert odd[1].tolist() == [1]


def test_blas_counts_from_one_and_adds_parts() -> None:
    x = np.complex64([1 + 1j, -3 + 0.5j, 0.5j])
    n = {"n": 3, "incx": 1}
    assert reference("Icamax", [x], **n)[0].tolist() == [2]
    assert reference("Icamin", [x], **n)[0].tolist() == [3]
    assert reference("Scasum", [x], **n)[0].tolist() == [6]
    assert reference("Scnrm2", [np.complex64([3 + 4j])], n=1, incx=1)[0].tolist() == [5]
    assert reference("Sscal", [np.float32([2])], alpha=2.5, n=1, incx=1)[0].tolist() == [5]


def test_shapes_and_positions() -> None:
    eye = reference("Eye", [np.zeros((2, 2, 3), np.int32)], num_rows=2, num_columns=3, batch_shape=(2,), dtype=0)[0]
    assert eye.tolist() == [[[1, 0, 0], [0, 1, 0]]] * 2
    assert reference("Triu", [np.float32([[1, 2], [3, 4]])], diagonal=1)[0].tolist() == [[0, 2], [0, 0]]
    given = [np.int32([5]), np.int32([-2]), np.int32([-3])]
    assert reference("Arange", given)[0].tolist() == [5, 2, -1]
    assert reference("Cast", [np.float32([-2.7, 3.5])], dst_type=3)[0].tolist() == [-2, 3]
    assert reference("Cross", [np.int8([[1, 0, 0]]), np.int8([[0, 1, 0]])], dim=1)[0].tolist() == [[0, 0, 1]]
    times = [np.float32([[1, 2], [3, 4], [5, 6]]), np.int32([0, 1, 2])]
    assert reference("FeedsRepeat", times, output_feeds_size=4)[0].tolist() == [[3, 4], [5, 6], [5, 6], [0, 0]]


def test_cross_entropy_of_even_odds() -> None:
    inputs = [np.zeros((2, 4), np.float32), np.int64([0, 3]), np.float32([1, 1, 1, 3])]
    loss, log_prob, *_ = reference("CrossEntropyLoss", inputs, reduction="none", ignore_index=-100)
    assert loss.tolist() == pytest.approx([math.log(4), 3 * math.log(4)])
    assert log_prob[0].tolist() == pytest.approx([-math.log(4)] * 4)
    loss, *_ = reference("CrossEntropyLoss", inputs, reduction="mean", ignore_index=-100)
    assert loss.tolist() == pytest.approx([math.log(4)])


def test_quantisation_by_hand() -> None:
    y, scale = reference("DynamicQuant", [np.float16([[0, 1, -2, 4]])], dst_type=2)
    assert scale.tolist() == pytest.approx([4 / 127]) and y.tolist() == [[0, 32, -64, 127]]
    y, scale = reference("DynamicQuant", [np.float16([[0, 1, -2, 7]])], dst_type=29)
    assert scale.tolist() == [1] and y.astype(np.int8).tolist() == [[0, 1, -2, 7]]


def test_layer_norm_gradients_are_slopes() -> None:
    rng = np.random.default_rng(1)
    x, dy, gamma = rng.normal(size=(2, 6)), rng.normal(size=(2, 6)), rng.normal(size=6)

    def loss(value: np.ndarray) -> float:
        centred = value - value.mean(-1, keepdims=True)
        return float(np.sum(dy * centred / np.sqrt(value.var(-1, keepdims=True)) * gamma))

    mean, rstd = x.mean(-1, keepdims=True), 1 / np.sqrt(x.var(-1, keepdims=True))
    dx, dgamma, dbeta = reference("AddLayerNormGrad", [dy, x, np.zeros_like(x), rstd, mean, gamma])
    for at in np.ndindex(x.shape):
        moved = np.zeros_like(x)
        moved[at] = 1e-5
        assert dx[at] == pytest.approx((loss(x + moved) - loss(x - moved)) / 2e-5, rel=1e-4, abs=1e-6)
    assert dbeta.tolist() == pytest.approx(dy.sum(0).tolist(), rel=1e-6)
    assert dgamma.tolist() == pytest.approx((dy * (x - mean) * rstd).sum(0).tolist(), rel=1e-5)


@pytest.mark.parametrize(
    ("padding", "corners", "expected"),
    # The middle of four pixels; half a pixel beyond a corner a quarter of it is left, unless the border goes on; with
    # corners that stay corners (1, 1) is the last pixel itself.
    [("zeros", False, [1.5, 0.75]), ("border", False, [1.5, 3.0]), ("zeros", True, [1.5, 3.0])],
)
def test_grid_samples(padding: str, corners: bool, expected: list[float]) -> None:
    image = np.float32([[0, 1], [2, 3]]).reshape(1, 2, 2, 1)
    grid = np.float32([[0, 0], [1, 1]]).reshape(1, 1, 2, 2)
    (y,) = reference("GridSample", [image, grid], padding_mode=padding, align_corners=corners)
    assert y.shape == (1, 1, 1, 2)
    assert y.reshape(-1).tolist() == expected
