"""Pooling of volumes and its gradients: a window of the input for each cell of the output."""

# Formulas over arrays of any dtype: numpy's stubs leave what they give without types.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import Shape, tensor
from ascendopt.harness.workloads.numeric import Array

_FLOATS = ("float32", "float16", "bfloat16")
# name, batch and channels, sizes before, sizes after
_ADAPTIVE: tuple[tuple[str, Shape, Shape, Shape], ...] = (
    ("example", (2, 1), (2, 2, 4), (2, 2, 2)),
    ("odd", (1, 16), (5, 7, 9), (3, 4, 5)),
    ("large", (2, 64), (8, 16, 16), (4, 7, 7)),
)
# name, batch and channels, sizes before, kernel, strides, padding
_FIXED: tuple[tuple[str, Shape, Shape, Shape, Shape, Shape], ...] = (
    ("example", (1, 1), (2, 2, 2), (2, 2, 2), (2, 2, 2), (0, 0, 0)),
    ("odd", (1, 16), (5, 7, 9), (2, 3, 2), (1, 2, 2), (0, 0, 0)),
    ("padded", (1, 8), (6, 8, 8), (3, 3, 3), (2, 2, 2), (1, 1, 1)),
    ("large", (2, 32), (8, 16, 16), (2, 2, 2), (2, 2, 2), (0, 0, 0)),
)
_PLANES: tuple[tuple[str, Shape], ...] = (("example", (3, 4, 24, 2)), ("odd", (2, 5, 7, 9)), ("large", (8, 64, 32, 32)))
# One (start, stop) along an axis; start may be below 0 and stop above the size where the window is padded.
_Window = tuple[int, int]


def _spread(before: int, after: int) -> list[_Window]:
    """Windows that cover the axis as evenly as whole numbers allow."""
    return [(i * before // after, -(-(i + 1) * before // after)) for i in range(after)]


def _stepped(before: int, kernel: int, stride: int, pad: int) -> list[_Window]:
    count = (before + 2 * pad - kernel) // stride + 1
    return [(i * stride - pad, i * stride - pad + kernel) for i in range(count)]


def _adaptive_windows(before: Shape, after: Shape) -> list[list[_Window]]:
    return [_spread(b, a) for b, a in zip(before, after, strict=True)]


def _fixed_windows(before: Shape, attrs: Mapping[str, Any]) -> list[list[_Window]]:
    triples = zip(before, attrs["ksize"][-3:], attrs["strides"][-3:], attrs["pads"][-3:], strict=True)
    return [_stepped(b, k, s, p) for b, k, s, p in triples]


def _cells(windows: Sequence[Sequence[_Window]]) -> Iterator[tuple[Shape, tuple[slice, ...], int]]:
    """Each output position with its part of the input, and the elements of its window with padding."""
    for at in product(*(range(len(axis)) for axis in windows)):
        chosen = [axis[i] for axis, i in zip(windows, at, strict=True)]
        volume = int(np.prod([stop - start for start, stop in chosen]))
        yield at, tuple(slice(max(start, 0), stop) for start, stop in chosen), volume


def _mean(x: Array, windows: Sequence[Sequence[_Window]]) -> Array:
    """Means over the last three axes; padding counts as zeros."""
    y = np.zeros((*x.shape[:2], *map(len, windows)))
    for at, part, volume in _cells(windows):
        y[(..., *at)] = x[(..., *part)].sum(axis=(2, 3, 4), dtype=np.float64) / volume
    return y


def _mean_gradient(grad: Array, before: Shape, windows: Sequence[Sequence[_Window]]) -> Array:
    x = np.zeros((*grad.shape[:2], *before))
    for at, part, volume in _cells(windows):
        x[(..., *part)] += grad[(..., *at)][..., None, None, None] / volume
    return x


def _maximum(x: Array, windows: Sequence[Sequence[_Window]]) -> list[Array]:
    """Maxima over the last three axes and their positions in the flattened volume, the first one of equals."""
    places = np.arange(int(np.prod(x.shape[2:]))).reshape(x.shape[2:])
    y = np.zeros((*x.shape[:2], *map(len, windows)), dtype=x.dtype)
    indices = np.zeros(y.shape, dtype=np.int32)
    for at, part, _ in _cells(windows):
        values = x[(..., *part)].reshape(*x.shape[:2], -1)
        best = np.argmax(values.astype(np.float32), axis=-1)
        y[(..., *at)] = np.take_along_axis(values, best[..., None], axis=-1)[..., 0]
        indices[(..., *at)] = places[part].reshape(-1)[best]
    return [y, indices]


def _last_places(before: Shape, windows: Sequence[Sequence[_Window]]) -> str:
    """A distribution of maxima: each in its own window, at the end. All channels have the same ones."""
    places = np.arange(int(np.prod(before))).reshape(before)
    return f"values({', '.join(str(places[part].max()) for _, part, _ in _cells(windows))})"


def _adaptive_case(name: str, dtype: str, front: Shape, before: Shape, after: Shape, kind: str) -> Case:
    small, large = (*front, *after), (*front, *before)
    size = {"output_size": after}
    timed = name.startswith("large")
    many = front[0] * front[1]
    if kind == "mean":
        # The operator takes the channels last: its caller moves them.
        x, y = (front[0], *before, front[1]), (front[0], *after, front[1])
        return Case(name, (tensor("x", dtype, x),), (tensor("y", dtype, y),), size, correctness_only=not timed)
    if kind == "mean_gradient":
        inputs = (tensor("y_grad", dtype, (*after, many)), tensor("x", dtype, large, "zeros"))
        return Case(name, inputs, (tensor("x_grad", dtype, (*before, many)),), correctness_only=not timed)
    if kind == "maximum":
        outputs = (tensor("y", dtype, small), tensor("indices", "int32", small))
        return Case(name, (tensor("x", dtype, large),), outputs, size, correctness_only=not timed)
    inputs = (
        tensor("x", dtype, large),
        tensor("grad", dtype, small, "integers(-8, 8)"),
        tensor("argmax", "int32", small, _last_places(before, _adaptive_windows(before, after))),
    )
    return Case(name, inputs, (tensor("y", dtype, large),), correctness_only=not timed)


def _adaptive(kind: str, function: str, dtypes: Sequence[str] = _FLOATS) -> Workload:
    return Workload(
        tuple(
            _adaptive_case(f"{name}/{dtype}", dtype, front, before, after, kind)
            for dtype in dtypes
            for name, front, before, after in _ADAPTIVE
        ),
        function=function,
    )


def _fixed(kind: str) -> Workload:
    cases: list[Case] = []
    for dtype in _FLOATS:
        for name, front, before, kernel, strides, pads in _FIXED:
            attrs = {"ksize": kernel, "strides": strides, "pads": pads}
            after = tuple(len(axis) for axis in _fixed_windows(before, attrs))
            large, small = (*front, *before), (*front, *after)
            if kind == "mean":
                # With NCDHW the operator pools over the depth alone; its caller does the rest.
                inputs = (tensor("x", dtype, (front[0], *before, front[1])),)
                outputs = (tensor("y", dtype, (front[0], *after, front[1])),)
                attrs |= {"data_format": "NDHWC"}
            elif kind == "mean_gradient":
                text = f"values({', '.join(map(str, large))})"
                many = front[0] * front[1]
                grads = tensor("grads", dtype, (1, *after, many))
                inputs = (tensor("orig_input_shape", "int32", (5,), text), grads)
                outputs = (tensor("output", dtype, (1, *before, many)),)
                attrs |= {"data_format": "NDHWC"}
            elif kind == "maximum":
                inputs = (tensor("x", dtype, large),)
                outputs = (tensor("y", dtype, small), tensor("argmax", "int32", small))
            else:
                inputs = (
                    tensor("x", dtype, large),
                    tensor("grad", dtype, small, "integers(-8, 8)"),
                    tensor("argmax", "int32", small, _last_places(before, _fixed_windows(before, attrs))),
                )
                outputs = (tensor("y", dtype, large),)
            cases.append(Case(f"{name}/{dtype}", inputs, outputs, attrs, correctness_only=name != "large"))
    return Workload(tuple(cases), function=f"fixed_{kind}")


def _global() -> Workload:
    cases = [
        Case(
            f"{name}/{dtype}",
            # Of one sign: the operator adds in the dtype of x.
            (tensor("x", dtype, shape, "uniform(0.5, 1.5)"),),
            (tensor("y", dtype, (*shape[:2], 1, 1)),),
            correctness_only=name != "large",
        )
        for dtype in ("float32", "float16")
        for name, shape in _PLANES
    ]
    return Workload(tuple(cases), function="plane_mean")


WORKLOADS: Mapping[str, Workload] = {
    "AdaptiveAvgPool3d": _adaptive("mean", "adaptive_mean"),
    # Its tiling function takes every dtype for float32 (it never sets yGradDSize), so that only float32 works.
    "AdaptiveAvgPool3dGrad": _adaptive("mean_gradient", "adaptive_mean_gradient", ("float32",)),
    "AdaptiveMaxPool3d": _adaptive("maximum", "adaptive_maximum"),
    "AdaptiveMaxPool3DGrad": _adaptive("maximum_gradient", "maximum_gradient"),
    "AvgPool3D": _fixed("mean"),
    "AvgPool3DGrad": _fixed("mean_gradient"),
    "GlobalAvgPool": _global(),
    "MaxPool3DWithArgmaxV2": _fixed("maximum"),
    "MaxPool3DGradWithArgmax": _fixed("maximum_gradient"),
}


def adaptive_mean(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Channels last, as the operator has them."""
    x = np.moveaxis(inputs[0], -1, 1)
    y = _mean(x, _adaptive_windows(x.shape[2:], attrs["output_size"]))
    return [np.moveaxis(y, 1, -1).astype(inputs[0].dtype)]


def adaptive_mean_gradient(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Channels and batch last, as the operator has them."""
    grad = np.moveaxis(inputs[0], -1, 0)[None]
    before = inputs[1].shape[2:]
    x = _mean_gradient(grad, before, _adaptive_windows(before, grad.shape[2:]))[0]
    return [np.moveaxis(x, 0, -1).astype(inputs[0].dtype)]


def adaptive_maximum(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Maxima and positions."""
    return _maximum(inputs[0], _adaptive_windows(inputs[0].shape[2:], attrs["output_size"]))


def maximum_gradient(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Each gradient goes where its maximum was."""
    x, grad, places = inputs
    y = np.zeros((x.shape[0] * x.shape[1], int(np.prod(x.shape[2:]))))
    rows = np.arange(len(y))[:, None]
    np.add.at(y, (rows, places.reshape(len(y), -1)), grad.reshape(len(y), -1).astype(np.float64))
    return [y.reshape(x.shape).astype(x.dtype)]


def fixed_mean(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Channels last; padding counts."""
    x = np.moveaxis(inputs[0], -1, 1)
    return [np.moveaxis(_mean(x, _fixed_windows(x.shape[2:], attrs)), 1, -1).astype(x.dtype)]


def fixed_mean_gradient(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """The transpose of ``fixed_mean``, batch and channels last."""
    shape, grad = inputs
    before = tuple(int(size) for size in shape[2:])
    x = _mean_gradient(np.moveaxis(grad, -1, 1), before, _fixed_windows(before, attrs))
    return [np.moveaxis(x, 1, -1).astype(grad.dtype)]


def fixed_maximum(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Maxima and positions."""
    return _maximum(inputs[0], _fixed_windows(inputs[0].shape[2:], attrs))


fixed_maximum_gradient = maximum_gradient


def plane_mean(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """One mean a channel."""
    (x,) = inputs
    return [x.mean(axis=(2, 3), dtype=np.float64, keepdims=True).astype(x.dtype)]
