"""Padding of images and volumes and its gradients: each padded position is one position of the inside."""

# Formulas over arrays of any dtype: numpy's stubs leave what they give without types.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ascendopt.harness.workload import AttrValue, Case, Workload
from ascendopt.harness.workloads.build import Shape, tensor
from ascendopt.harness.workloads.numeric import Array

_FLOATS = ("float32", "float16", "bfloat16")
# name, shape of the inside, (before, after) of the last axes
_Size = tuple[str, Shape, Sequence[tuple[int, int]]]
_PLANES: tuple[_Size, ...] = (
    ("example", (1, 1, 2, 2), ((1, 1), (1, 1))),
    ("odd", (2, 3, 17, 20), ((1, 2), (3, 1))),
    ("large", (4, 16, 64, 64), ((2, 2), (3, 3))),
)
_SPACES: tuple[_Size, ...] = (
    ("example", (1, 1, 2, 2, 2), ((1, 1), (1, 1), (1, 1))),
    ("odd", (2, 3, 5, 9, 11), ((1, 2), (2, 1), (1, 3))),
    ("large", (1, 16, 16, 32, 32), ((1, 1), (2, 2), (3, 3))),
)
_Mode = Literal["wrap", "edge", "reflect"]


def _workload(
    function: str,
    sizes: Sequence[_Size],
    dtypes: Sequence[str] = _FLOATS,
    backward: bool = True,
    output: str = "y",
    counts: str = "int64",
    attrs: Mapping[str, AttrValue] | None = None,
) -> Workload:
    cases: list[Case] = []
    for dtype in dtypes:
        for name, inside, pads in sizes:
            every = (*((0, 0),) * (len(inside) - len(pads)), *pads)
            outside = tuple(size + sum(pair) for size, pair in zip(inside, every, strict=True))
            given, made = (outside, inside) if backward else (inside, outside)
            flat = [str(pad) for pair in every for pad in pair]
            cases.append(
                Case(
                    f"{name}/{dtype}",
                    (
                        tensor("x", dtype, given),
                        tensor("paddings", counts, (len(flat),), f"values({', '.join(flat)})"),
                    ),
                    (tensor(output, dtype, made),),
                    dict(attrs or {}),
                    correctness_only=name != "large",
                )
            )
    return Workload(tuple(cases), function=function)


def _named(mode: str) -> Mapping[str, AttrValue]:
    return {"mode": mode, "paddings_contiguous": True}


WORKLOADS: Mapping[str, Workload] = {
    "CircularPad": _workload("wrapped", _PLANES, ("int8", *_FLOATS, "int32"), backward=False),
    "CircularPadGrad": _workload("wrapped_gradient", _PLANES),
    "PadV3GradReplicate": _workload("edge_gradient", _PLANES, attrs=_named("edge")),
    "PadV3GradReplication": _workload("edge_gradient", _SPACES, output="z"),
    "PadV4Grad": _workload("reflected_gradient", _PLANES, attrs=_named("reflect")),
    "ReflectionPad3dGrad": _workload("reflected_gradient", _SPACES),
}


def wrapped(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Each axis goes round."""
    x, paddings = inputs
    return [np.pad(x, paddings.reshape(-1, 2), mode="wrap")]


def _gradient(inputs: Sequence[Array], mode: _Mode) -> list[Array]:
    """Every padded position gives its gradient to the position that it copies."""
    outside, paddings = inputs
    y = outside.astype(np.float64)
    for axis, (before, after) in enumerate(paddings.reshape(-1, 2)):
        size = y.shape[axis] - int(before) - int(after)
        source = np.pad(np.arange(size), (int(before), int(after)), mode=mode)
        moved = np.moveaxis(y, axis, 0)
        inside = np.zeros((size, *moved.shape[1:]))
        np.add.at(inside, source, moved)
        y = np.moveaxis(inside, 0, axis)
    return [y.astype(outside.dtype)]


def wrapped_gradient(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Of circular padding."""
    return _gradient(inputs, "wrap")


def edge_gradient(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Of padding with the outermost values."""
    return _gradient(inputs, "edge")


def reflected_gradient(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Of padding with the mirror image."""
    return _gradient(inputs, "reflect")
