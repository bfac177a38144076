"""Resampling of images and volumes and their gradients: one product with a matrix of weights along each axis."""

# Formulas over arrays of any dtype: numpy's stubs leave what they give without types.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ascendopt.harness.workload import AttrValue, Case, TensorSpec, Workload
from ascendopt.harness.workloads.build import Shape, tensor
from ascendopt.harness.workloads.numeric import Array

_FLOATS = ("float32", "float16", "bfloat16")
# name, batch and channels, sizes before, sizes after, corners stay corners
_Size = tuple[str, Shape, Shape, Shape, bool]
_LINES: tuple[_Size, ...] = (
    ("double", (1, 4), (16,), (32,), False),
    ("odd", (2, 3), (37,), (101,), False),
    ("large", (4, 64), (256,), (512,), False),
)
_PLANES: tuple[_Size, ...] = (
    ("double", (1, 4), (16, 16), (32, 32), False),
    ("odd", (2, 3), (15, 20), (33, 47), False),
    ("large", (2, 16), (64, 64), (128, 128), False),
)
_CORNERS: tuple[_Size, ...] = (("corners", (1, 8), (24, 40), (48, 100), True),)
_SPACES: tuple[_Size, ...] = (
    ("double", (1, 2), (4, 8, 8), (8, 16, 16), False),
    ("odd", (1, 3), (3, 7, 9), (5, 13, 20), False),
    ("large", (1, 8), (8, 16, 16), (16, 32, 32), False),
)


@dataclass(frozen=True)
class _Operator:
    """What an operator calls its tensors and attributes.

    ``scales`` are attributes that say: from the sizes; ``ratios`` are those, one an axis, that must be right.
    """

    function: str
    sizes: Sequence[_Size]
    input: str = "x"
    output: str = "y"
    scales: Mapping[str, AttrValue] | None = None
    ratios: Sequence[str] = ()
    backward: bool = False
    output_size: bool = True
    input_size: bool = False
    corners: bool = False
    size_input: bool = False
    channels_last: bool = False
    flat_planes: bool = False


def _workload(operator: _Operator, dtypes: Sequence[str] = _FLOATS) -> Workload:
    cases = [_case(operator, size, dtype) for dtype in dtypes for size in operator.sizes]
    return Workload(tuple(cases), function=operator.function)


def _case(operator: _Operator, size: _Size, dtype: str) -> Case:
    name, front, before, after, corners = size
    attrs: dict[str, AttrValue] = dict(operator.scales or {})
    if operator.output_size:
        attrs["output_size"] = after
    if operator.input_size:
        attrs["input_size"] = (*front, *before)
    if operator.corners:
        attrs["align_corners"] = corners
    for attr, small, large in zip(operator.ratios, before, after, strict=False):
        attrs[attr] = _ratio(small, large, corners)
    shapes = (_placed(operator, front, before), _placed(operator, front, after))
    given, made = reversed(shapes) if operator.backward else shapes
    if operator.flat_planes:
        # The operator takes lines as planes of one row, and gives lines.
        given = (*given[:2], 1, *given[2:])
    inputs: tuple[TensorSpec, ...] = (tensor(operator.input, dtype, given),)
    if operator.size_input:
        inputs += (tensor("size", "int32", (len(after),), f"values({', '.join(map(str, after))})"),)
    outputs = (tensor(operator.output, dtype, made),)
    return Case(f"{name}/{dtype}", inputs, outputs, attrs, correctness_only=name != "large")


def _ratio(before: int, after: int, corners: bool) -> float:
    return (before - 1) / max(after - 1, 1) if corners else before / after


def _placed(operator: _Operator, front: Shape, sizes: Shape) -> Shape:
    return (front[0], *sizes, front[1]) if operator.channels_last else (*front, *sizes)


_HW: Mapping[str, AttrValue] = {"scales_h": 0.0, "scales_w": 0.0}
_DHW: Mapping[str, AttrValue] = {"scales_d": 0.0, "scales_h": 0.0, "scales_w": 0.0}
_ONE_DHW: Mapping[str, AttrValue] = {"scale_d": 0.0, "scale_h": 0.0, "scale_w": 0.0}
_THREE: Mapping[str, AttrValue] = {"scales": (0.0, 0.0, 0.0)}
_GRADS: Mapping[str, Any] = {"input": "grad_output", "backward": True}

WORKLOADS: Mapping[str, Workload] = {
    "ResizeUpsampleTrilinear": _workload(
        _Operator("linear", _SPACES, input="input", output="output", scales=_DHW, corners=True)
    ),
    "UpsampleBicubic2d": _workload(
        _Operator("cubic", (*_PLANES, *_CORNERS), input="input", output="output", scales=_HW, corners=True)
    ),
    "UpsampleBicubic2dAA": _workload(_Operator("cubic_smooth", _PLANES, scales=_HW, corners=True)),
    "UpsampleBicubic2dAAGrad": _workload(
        _Operator(
            "cubic_smooth_gradient",
            _PLANES,
            output="grad_input",
            scales=_HW,
            input_size=True,
            corners=True,
            **_GRADS,
        )
    ),
    "UpsampleBicubic2dGrad": _workload(
        _Operator(
            "cubic_gradient",
            (*_PLANES, *_CORNERS),
            output="grad_input",
            ratios=("scales_h", "scales_w"),
            output_size=False,
            corners=True,
            **_GRADS,
        )
    ),
    "UpsampleBilinear2d": _workload(
        _Operator(
            "linear",
            (*_PLANES, *_CORNERS),
            scales={"scales": (0.0, 0.0)},
            output_size=False,
            corners=True,
            size_input=True,
        )
    ),
    "UpsampleBilinear2dAA": _workload(
        _Operator("linear_smooth", _PLANES, input="input", output="output", scales=_HW, corners=True)
    ),
    "UpsampleBilinear2dAABackward": _workload(
        _Operator(
            "linear_smooth_gradient",
            _PLANES,
            output="grad_input",
            scales=_HW,
            input_size=True,
            corners=True,
            **_GRADS,
        )
    ),
    "UpsampleLinear1d": _workload(
        _Operator(
            "linear", _LINES, ratios=("scale",), output_size=False, corners=True, size_input=True, flat_planes=True
        ),
        # The definition names half and bfloat16, too, but the kernel does nothing for them: its aclnn casts before.
        ("float32",),
    ),
    "UpsampleNearest": _workload(
        _Operator("nearest_last", _PLANES, scales={**_HW, "exact_mode": False}, channels_last=True)
    ),
    "UpsampleNearest3d": _workload(_Operator("nearest", _SPACES, scales=_ONE_DHW)),
    "UpsampleNearest3dGrad": _workload(
        _Operator("nearest_gradient", _SPACES, scales=_THREE, input_size=True, **_GRADS)
    ),
    "UpsampleNearestExact2dGrad": _workload(
        _Operator("centre_gradient", _PLANES, output="grad_input", scales=_HW, input_size=True, **_GRADS)
    ),
    "UpsampleNearestExact3d": _workload(_Operator("centre", _SPACES, scales=_ONE_DHW)),
    "UpsampleNearestExact3dGrad": _workload(
        _Operator("centre_gradient", _SPACES, scales=_THREE, input_size=True, **_GRADS)
    ),
    "UpsampleTrilinear3dBackward": _workload(
        _Operator(
            "linear_gradient", _SPACES, output="grad_input", scales=_ONE_DHW, input_size=True, corners=True, **_GRADS
        )
    ),
}

# Sizes before and after, corners -> a row of weights for each position after.
_Weights = Callable[[int, int, bool], Array]


def _nearest_weights(before: int, after: int, _corners: bool) -> Array:
    return np.eye(before)[np.arange(after) * before // after]


def _centre_weights(before: int, after: int, _corners: bool) -> Array:
    return np.eye(before)[(2 * np.arange(after) + 1) * before // (2 * after)]


def _linear_weights(before: int, after: int, corners: bool) -> Array:
    ratio = _ratio(before, after, corners)
    at = np.arange(after)
    place = at * ratio if corners else np.maximum((at + 0.5) * ratio - 0.5, 0)
    low = np.minimum(np.floor(place).astype(int), before - 1)
    share = (place - low)[:, None]
    one = np.eye(before)
    return (1 - share) * one[low] + share * one[np.minimum(low + 1, before - 1)]


def _cubic(distance: Array, a: float) -> Array:
    """Keys' kernel."""
    d = np.abs(distance)
    near = (a + 2) * d**3 - (a + 3) * d**2 + 1
    far = a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0.0))


def _cubic_weights(before: int, after: int, corners: bool) -> Array:
    at = np.arange(after)
    ratio = _ratio(before, after, corners)
    place = at * ratio if corners else (at + 0.5) * ratio - 0.5
    low = np.floor(place).astype(int)
    weights = np.zeros((after, before))
    for step in (-1, 0, 1, 2):
        np.add.at(weights, (at, np.clip(low + step, 0, before - 1)), _cubic(place - low - step, -0.75))
    return weights


def _smooth_weights(before: int, after: int, reach: float, kernel: Callable[[Array], Array]) -> Array:
    """A kernel that widens where the image shrinks; each row sums to one."""
    ratio = before / after
    wide = max(ratio, 1.0)
    centre = (np.arange(after) + 0.5) * ratio
    first = np.maximum((centre - reach * wide + 0.5).astype(int), 0)[:, None]
    last = np.minimum((centre + reach * wide + 0.5).astype(int), before)[:, None]
    at = np.arange(before)[None, :]
    weights = np.where((at >= first) & (at < last), kernel((at + 0.5 - centre[:, None]) / wide), 0.0)
    return weights / weights.sum(axis=1, keepdims=True)


def _linear_smooth_weights(before: int, after: int, _corners: bool) -> Array:
    return _smooth_weights(before, after, 1.0, lambda d: np.maximum(1 - np.abs(d), 0))


def _cubic_smooth_weights(before: int, after: int, _corners: bool) -> Array:
    return _smooth_weights(before, after, 2.0, lambda d: _cubic(d, -0.5))


def _along(x: Array, axis: int, matrix: Array) -> Array:
    return np.moveaxis(np.moveaxis(x, axis, -1) @ matrix.T, -1, axis)


Reference = Callable[[Sequence[Array], Mapping[str, Any]], list[Array]]


def _forward(weights: _Weights, channels_last: bool = False) -> Reference:
    def reference(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
        after = attrs.get("output_size") or tuple(int(size) for size in inputs[1])
        y = inputs[0].astype(np.float64)
        if y.ndim == 4 and len(after) == 1:
            y = y[:, :, 0]
        for axis, size in enumerate(after, start=1 if channels_last else 2):
            y = _along(y, axis, weights(y.shape[axis], size, bool(attrs.get("align_corners"))))
        return [y.astype(inputs[0].dtype)]

    return reference


def _backward(weights: _Weights) -> Reference:
    def reference(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
        y = inputs[0].astype(np.float64)
        # Where no attribute has the sizes before, the cases tell them by those after.
        before = attrs["input_size"][2:] if "input_size" in attrs else _BEFORE[y.shape[2:]]
        for axis, size in enumerate(before, start=2):
            y = _along(y, axis, weights(size, y.shape[axis], bool(attrs.get("align_corners"))).T)
        return [y.astype(inputs[0].dtype)]

    return reference


_BEFORE: Mapping[Shape, Shape] = {after: before for _, _, before, after, _ in (*_PLANES, *_CORNERS)}

nearest = _forward(_nearest_weights)
nearest_last = _forward(_nearest_weights, channels_last=True)
nearest_gradient = _backward(_nearest_weights)
centre = _forward(_centre_weights)
centre_gradient = _backward(_centre_weights)
linear = _forward(_linear_weights)
linear_gradient = _backward(_linear_weights)
linear_smooth = _forward(_linear_smooth_weights)
linear_smooth_gradient = _backward(_linear_smooth_weights)
cubic = _forward(_cubic_weights)
cubic_gradient = _backward(_cubic_weights)
cubic_smooth = _forward(_cubic_smooth_weights)
cubic_smooth_gradient = _backward(_cubic_smooth_weights)
