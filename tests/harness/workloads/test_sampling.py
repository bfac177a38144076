"""References of resampling, pooling, padding and indexing against values worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .test_catalogue import reference


def test_linear_interpolation_doubles_a_line() -> None:
    line, size = np.float32([[[0, 4]]]), np.int32([4])
    (y,) = reference("UpsampleLinear1d", [line, size], align_corners=False, scale=0.5)
    assert y.tolist() == [[[0, 1, 3, 4]]]
    (y,) = reference("UpsampleLinear1d", [line, np.int32([5])], align_corners=True, scale=0.25)
    assert y.tolist() == [[[0, 1, 2, 3, 4]]]


def test_nearest_takes_the_left_or_the_centre() -> None:
    volume = np.float32([1, 2, 3]).reshape(1, 1, 1, 1, 3)
    (left,) = reference("UpsampleNearest3d", [volume], output_size=(1, 1, 2))
    (centre,) = reference("UpsampleNearestExact3d", [volume], output_size=(1, 1, 2))
    # Positions 0 and 1.5, rounded down; centres 0.75 and 2.25, rounded down.
    assert left.ravel().tolist() == [1, 2] and centre.ravel().tolist() == [1, 3]


def test_cubic_weights_of_a_constant_and_a_ramp() -> None:
    ramp = np.broadcast_to(np.arange(8, dtype=np.float64), (1, 1, 8, 8))
    (y,) = reference("UpsampleBicubic2d", [ramp], output_size=(8, 16), align_corners=False)
    # Away from the edges the kernel reproduces a ramp up to its quadratic error: halfway it does exactly.
    assert y[0, 0, 3, 7:9].mean() == pytest.approx(3.5)
    (y,) = reference("UpsampleBicubic2dAA", [np.ones((1, 1, 9, 9))], output_size=(4, 5), align_corners=False)
    assert np.allclose(y, 1)


def test_a_gradient_is_the_transpose_of_its_function() -> None:
    rng = np.random.default_rng(3)
    x, g = rng.normal(size=(1, 1, 5, 7)), rng.normal(size=(1, 1, 9, 11))
    for forward, backward in (
        ("UpsampleBicubic2dAA", "UpsampleBicubic2dAAGrad"),
        ("UpsampleBilinear2dAA", "UpsampleBilinear2dAABackward"),
    ):
        sizes: dict[str, Any] = {"output_size": (9, 11), "align_corners": False}
        (y,) = reference(forward, [x], **sizes)
        (back,) = reference(backward, [g], input_size=(1, 1, 5, 7), **sizes)
        assert (y * g).sum() == pytest.approx((x * back).sum())


def test_pooling_over_windows() -> None:
    x = np.arange(8, dtype=np.float32).reshape(1, 1, 1, 2, 4)
    window: dict[str, Any] = {"ksize": (1, 2, 2), "strides": (1, 2, 2), "pads": (0, 0, 0)}
    y, places = reference("MaxPool3DWithArgmaxV2", [x], **window)
    assert y.ravel().tolist() == [5, 7] and places.ravel().tolist() == [5, 7]
    last = np.moveaxis(x, 1, -1)
    assert reference("AvgPool3D", [last], data_format="NDHWC", **window)[0].ravel().tolist() == [2.5, 4.5]
    # Three columns out of four: [0, 2), [1, 3), [2, 4).
    assert reference("AdaptiveAvgPool3d", [last], output_size=(1, 1, 3))[0].ravel().tolist() == [2.5, 3.5, 4.5]
    back = reference("MaxPool3DGradWithArgmax", [x, np.float32(y * 0 + 2), places], **window)[0]
    assert back.ravel().tolist() == [0, 0, 0, 0, 0, 2, 0, 2]


def test_padding_gradients_add_what_was_copied() -> None:
    paddings = np.int64([0, 0, 0, 0, 0, 0, 1, 1])
    ones = np.ones((1, 1, 1, 5), np.float32)
    assert reference("CircularPadGrad", [ones, paddings])[0].ravel().tolist() == [2, 1, 2]
    ramp = np.arange(5, dtype=np.float32).reshape(1, 1, 1, 5)
    # Inside are 1, 2, 3. The edge copies the outermost, the mirror the next one, the circle the other end.
    assert reference("PadV3GradReplicate", [ramp, paddings])[0].ravel().tolist() == [1, 2, 7]
    assert reference("PadV4Grad", [ramp, paddings])[0].ravel().tolist() == [1, 6, 3]
    assert reference("CircularPadGrad", [ramp, paddings])[0].ravel().tolist() == [5, 2, 3]


def test_moving_by_index() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    (y,) = reference("GatherV3", [x, np.int32([2, 0]), np.int64([1])])
    assert y.tolist() == [[2, 0], [5, 3]]
    (y,) = reference("ScatterElementsV2", [x, np.int64([[1], [0]]), np.float32([[9], [8]])], axis=1, reduction="add")
    assert y.tolist() == [[0, 10, 2], [11, 4, 5]]
    given = [x, np.ones((2, 3), np.float32), np.int32([0, 0]), np.int32([1, 0]), np.float32([2])]
    assert reference("InplaceIndexAddWithSorted", given, axis=0)[0].tolist() == [[4, 5, 6], [3, 4, 5]]
    assert reference("MaskedSelectV3", [x, x > 3])[0].tolist() == [4, 5]
