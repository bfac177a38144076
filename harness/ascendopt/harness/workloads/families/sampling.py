"""Sampling of images at points of a grid, whose coordinates run from -1 to 1 across the image."""

# Formulas over arrays of any dtype: numpy's stubs leave what they give without types.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import Shape, tensor
from ascendopt.harness.workloads.numeric import Array

# name, batch and channels, height and width of the image, of the grid
_SIZES: tuple[tuple[str, Shape, Shape, Shape], ...] = (
    ("tiny", (1, 2), (4, 6), (3, 5)),
    ("tail", (2, 5), (17, 23), (13, 31)),
    ("large", (2, 32), (64, 64), (64, 64)),
)
_MODES = (("zeros", False), ("border", True))


def _grid_sample() -> Workload:
    cases: list[Case] = []
    for dtype in ("float32", "float16"):
        for name, outer, image, points in _SIZES:
            for padding, corners in _MODES:
                inputs = (
                    tensor("x", dtype, (outer[0], *image, outer[1])),
                    tensor("grid", dtype, (outer[0], *points, 2), "uniform(-1.1, 1.1)"),
                )
                outputs = (tensor("y", dtype, (*outer, *points)),)
                attrs = {
                    "interpolation_mode": "bilinear",
                    "padding_mode": padding,
                    "align_corners": corners,
                    "channel_last": True,
                }
                cases.append(
                    Case(f"{name}-{padding}/{dtype}", inputs, outputs, attrs, correctness_only=name != "large")
                )
    return Workload(tuple(cases), function="sampled")


WORKLOADS: Mapping[str, Workload] = {"GridSample": _grid_sample()}


def _place(coordinate: Array, size: int, attrs: Mapping[str, Any]) -> Array:
    """The coordinate in pixels; beyond the border it is the border's where padding says so."""
    span = size - 1 if attrs["align_corners"] else size
    pixels = (coordinate + 1) / 2 * span - (0.0 if attrs["align_corners"] else 0.5)
    return np.clip(pixels, 0, size - 1) if attrs["padding_mode"] == "border" else pixels


def _corners(x: Array, y: Array, height: int, width: int) -> Iterator[tuple[Array, Array, Array]]:
    """Row, column and weight of the four pixels around each point; those outside weigh nothing."""
    for down in (0, 1):
        for right in (0, 1):
            row, column = np.floor(y) + down, np.floor(x) + right
            weight = (1 - np.abs(y - row)) * (1 - np.abs(x - column))
            inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
            yield (
                np.clip(row, 0, height - 1).astype(np.int64),
                np.clip(column, 0, width - 1).astype(np.int64),
                weight * inside,
            )


def sampled(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Bilinear samples [N, C, h, w] of images [N, H, W, C] at points [N, h, w, (x, y)]."""
    image, grid = (array.astype(np.float64) for array in inputs)
    height, width = image.shape[1:3]
    x, y = _place(grid[..., 0], width, attrs), _place(grid[..., 1], height, attrs)
    batch = np.arange(len(image))[:, None, None]
    result = np.zeros((*grid.shape[:3], image.shape[3]))
    for row, column, weight in _corners(x, y, height, width):
        result += image[batch, row, column] * weight[..., None]
    return [np.moveaxis(result, 3, 1).astype(inputs[0].dtype)]
