"""Gated linear units: one half of the input gates the other."""

# Formulas over arrays of any dtype: numpy's stubs leave their lambdas without types.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import Shape, tensor
from ascendopt.harness.workloads.numeric import Array, erf, rounded, sigmoid, wide

_FLOATS = ("float16", "float32", "bfloat16")
_SIZES: tuple[tuple[str, Shape, bool], ...] = (
    ("tiny", (2, 32), True),
    ("aligned", (64, 1024), True),
    ("tail", (37, 202), True),
    ("large", (512, 2048), False),
)


def _half(shape: Shape) -> Shape:
    return (*shape[:-1], shape[-1] // 2)


WORKLOADS: Mapping[str, Workload] = {
    "SwiGluGrad": Workload(
        tuple(
            Case(
                f"{name}/{dtype}",
                (tensor("y_grad", dtype, _half(shape)), tensor("x", dtype, shape)),
                (tensor("x_grad", dtype, shape),),
                {"dim": -1},
                correctness_only=checked_only,
            )
            for dtype in _FLOATS
            for name, shape, checked_only in _SIZES
        ),
        function="swi_glu_grad",
    ),
    "GeGluV2": Workload(
        tuple(
            Case(
                f"{name}-{'tanh' if approximate else 'erf'}/{dtype}",
                (tensor("x", dtype, shape),),
                (tensor("y", dtype, _half(shape)), tensor("gelu", dtype, _half(shape))),
                {"dim": -1, "approximate": approximate, "activate_left": False},
                correctness_only=checked_only,
            )
            for dtype in ("float16", "bfloat16", "float32")
            for approximate in (1, 0)
            for name, shape, checked_only in _SIZES
        ),
        function="ge_glu",
    ),
}


@rounded
def swi_glu_grad(y_grad: Array, x: Array, dim: int) -> Array:
    """Gradients of silu(a) b with respect to the halves a and b, side by side."""
    a, b = np.split(x, 2, axis=dim)
    gate = sigmoid(a)
    return np.concatenate([y_grad * b * gate * (1 + a * (1 - gate)), y_grad * a * gate], axis=dim)


def ge_glu(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """One half times gelu of the other, and that gelu."""
    (given,) = inputs
    left, right = np.split(wide(given), 2, axis=attrs["dim"])
    x, gated = (right, left) if attrs["activate_left"] else (left, right)
    if attrs["approximate"]:
        inner = math.sqrt(2 / math.pi) * (gated + 0.044715 * gated**3)
        gelu = 0.5 * gated * (1 + np.tanh(inner))
    else:
        gelu = 0.5 * gated * (1 + erf(gated / math.sqrt(2)))
    return [(x * gelu).astype(given.dtype), gelu.astype(given.dtype)]
