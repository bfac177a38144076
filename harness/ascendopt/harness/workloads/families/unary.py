"""Elementwise operators of one tensor."""

# Formulas over arrays of any dtype: numpy's stubs leave their lambdas without types.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ascendopt.harness.workload import AttrValue, Workload
from ascendopt.harness.workloads.build import MODERATE, elementwise
from ascendopt.harness.workloads.numeric import Array, plain, rounded, sigmoid

_FLOATS = ("float16", "float32", "bfloat16")


def _unary(
    function: str,
    distribution: str = "normal",
    dtypes: Sequence[str] = _FLOATS,
    *,
    x: str = "x",
    y: str = "y",
    output: str | None = None,
    attrs: Mapping[str, AttrValue] | None = None,
) -> Workload:
    outputs = {y: output} if output else [y]
    return Workload(elementwise({x: distribution}, outputs, dtypes, MODERATE, attrs), function=function)


WORKLOADS: Mapping[str, Workload] = {
    "Abs": _unary("absolute"),
    "Cos": _unary("cosine", "uniform(-6, 6)"),
    "Dawsn": _unary("dawson", "uniform(-8, 8)", ("float16", "float32")),
    "FastGelu": _unary("fast_gelu", "uniform(-1, 1)", ("float32", "float16")),
    "Gelu": _unary("gelu", "uniform(-4, 4)"),
    "IsFinite": _unary("is_finite", "special", output="bool"),
    "IsInf": _unary("is_inf", "special", output="bool"),
    "LogicalNot": _unary("logical_not", "integers(0, 1)", ("bool",)),
    "Neg": _unary("negative", dtypes=("float32", "float16", "bfloat16", "int32", "int8")),
    "Reciprocal": _unary("reciprocal", "uniform(0.25, 8)"),
    "Rsqrt": _unary("reciprocal_root", "positive"),
    "Sin": _unary("sine", "uniform(-6, 6)"),
    "Swish": _unary("swish", "uniform(-5, 5)", attrs={"scale": 1.5}),
    "Tanh": _unary("hyperbolic_tangent", "uniform(-4, 4)"),
    "Trunc": _unary(
        "truncated",
        "uniform(-100, 100)",
        ("float32", "float16", "bfloat16", "int8", "int32", "uint8"),
        x="input_x",
        y="output_y",
    ),
}

absolute = plain(np.abs)
cosine = rounded(np.cos)
sine = rounded(np.sin)
is_finite = plain(np.isfinite)
is_inf = plain(np.isinf)
logical_not = plain(np.logical_not)
negative = plain(np.negative)
reciprocal = rounded(lambda x: 1 / x)
reciprocal_root = rounded(lambda x: 1 / np.sqrt(x))
swish = rounded(lambda x, scale: x * sigmoid(np.float32(scale) * x))
hyperbolic_tangent = rounded(np.tanh)
truncated = plain(np.trunc)
fast_gelu = rounded(lambda x: x * sigmoid(np.float32(1.702) * x))


@rounded
def gelu(x: Array) -> Array:
    """x / (1 + exp(-sqrt(8 / pi) (x + c x^3))).

    The document of the operator gives the usual c = 0.044715; its kernel has 0.0455399241, a known defect of up
    to 7e-4, and that is what is compared with here.
    """
    return x * sigmoid(math.sqrt(8 / math.pi) * (x + 0.0455399241 * x**3))


@rounded
def dawson(x: Array) -> Array:
    """exp(-x^2) times the integral of exp(t^2) from 0 to x, by Rybicki's sum.

    With step h the error is about exp(-(pi / 2 h)^2): none that single precision shows for h = 0.2.
    """
    h = 0.2
    wide = x.astype(np.float64)
    nearest = 2 * np.rint(wide / (2 * h))
    total = np.zeros_like(wide)
    for n in range(-45, 46, 2):
        # Odd terms around the even multiple of h that is nearest to x.
        total += np.exp(-((wide - (nearest + n) * h) ** 2)) / (nearest + n)
    return total / math.sqrt(math.pi)
