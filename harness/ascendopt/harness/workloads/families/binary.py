"""Elementwise operators of several tensors of one shape, and comparisons."""

# Formulas over arrays of any dtype: numpy's stubs leave their lambdas without types.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import MODERATE, WHOLE_BLOCKS, Size, elementwise, tensor
from ascendopt.harness.workloads.numeric import Array, plain, rounded, scalar, sigmoid

_FLOATS = ("float16", "float32", "bfloat16")
# So narrow that equal pairs are common.
_NARROW = "integers(0, 3)"


def _compared(function: str, dtypes: Sequence[str]) -> Workload:
    """Comparisons: their kernels copy blocks that may reach past the end of a tensor with a tail."""
    cases = elementwise({"x1": _NARROW, "x2": _NARROW}, {"y": "bool"}, dtypes, WHOLE_BLOCKS)
    return Workload(cases, function=function)


def _muls() -> Workload:
    dtypes = ("bfloat16", "float16", "float32", "int32", "int16", "int64", "complex64")
    cases = [
        Case(
            f"{size.name}/{dtype}",
            (tensor("x", dtype, size.shape), tensor("value", "float32", (1,), "integers(2, 5)")),
            (tensor("y", dtype, size.shape),),
            correctness_only=size.checked_only,
        )
        for dtype in dtypes
        for size in MODERATE
    ]
    return Workload(tuple(cases), function="multiply_by_value")


def _tensors(
    function: str,
    inputs: Mapping[str, str],
    output: str,
    dtypes: Sequence[str],
    scalars: Mapping[str, str] | None = None,
) -> Workload:
    return Workload(elementwise(inputs, [output], dtypes, MODERATE, scalars=scalars), function=function)


WORKLOADS: Mapping[str, Workload] = {
    "Equal": _compared("equal", ("float16", "bfloat16", "float32", "int8", "uint8", "int32", "uint32")),
    "GreaterEqual": _compared("greater_equal", ("float16", "float32", "int32")),
    "Less": _compared("less", ("bfloat16", "float16", "float32", "int8", "uint8", "int32", "int64")),
    "LessEqual": _compared("less_equal", ("float16", "float32", "int8", "int32")),
    "LogicalOr": _tensors("logical_or", {"x1": "integers(0, 1)", "x2": "integers(0, 1)"}, "y", ("bool",)),
    # Its kernel reads whole blocks of ``values``, past the end of one with a tail.
    "Heaviside": Workload(
        elementwise({"input": "integers(-2, 2)", "values": "normal"}, ["out"], ("float32", "float16"), WHOLE_BLOCKS),
        function="heaviside",
    ),
    "Muls": _muls(),
    "Gcd": _tensors(
        "gcd", {"x1": "integers(-1000, 1000)", "x2": "integers(-1000, 1000)"}, "y", ("int16", "int32", "int64")
    ),
    "Addcmul": _tensors(
        "addcmul",
        {"input_data": "normal", "x1": "normal", "x2": "normal"},
        "y",
        ("float16", "float32", "int32", "bfloat16"),
        {"value": "integers(2, 5)"},
    ),
    "Addcdiv": _tensors(
        "addcdiv",
        {"input_data": "normal", "x1": "normal", "x2": "uniform(1, 4)"},
        "y",
        _FLOATS,
        {"value": "uniform(0.5, 2)"},
    ),
    # Eight cores with sixteen tiles of whole blocks each, whatever its name says.
    "UnalignAdd": Workload(
        elementwise(
            {"x": "uniform(-1, 1)", "y": "uniform(-1, 1)"},
            ["z"],
            ("float16",),
            (Size("tiny", (2048,)), *WHOLE_BLOCKS[1:2], Size("odd", (37, 2048)), WHOLE_BLOCKS[3]),
        ),
        function="add",
    ),
    "ClipByValueV2": _tensors(
        "clip",
        {"x": "integers(-100, 100)"},
        "y",
        ("float32", "float16", "int32", "bfloat16"),
        {"clip_value_min": "integers(-50, -20)", "clip_value_max": "integers(20, 50)"},
    ),
    "FastGeluGrad": _tensors("fast_gelu_grad", {"dy": "normal", "x": "uniform(-3, 3)"}, "z", ("float32", "float16")),
    "GeluGrad": _tensors(
        "gelu_grad", {"dy": "normal", "x": "uniform(-4, 4)", "y": "normal"}, "z", ("float32", "float16", "bfloat16")
    ),
}

multiply_by_value = rounded(lambda x, value: x * scalar(value))
equal = plain(np.equal)
greater_equal = plain(np.greater_equal)
less = plain(np.less)
less_equal = plain(np.less_equal)
logical_or = plain(np.logical_or)
heaviside = rounded(np.heaviside)
gcd = plain(np.gcd)
add = plain(np.add)
addcmul = rounded(lambda data, x1, x2, value: data + x1 * x2 * scalar(value))
addcdiv = rounded(lambda data, x1, x2, value: data + x1 / x2 * scalar(value))
clip = rounded(lambda x, low, high: np.minimum(np.maximum(x, scalar(low)), scalar(high)))


@rounded
def fast_gelu_grad(dy: Array, x: Array) -> Array:
    """The derivative of x * sigmoid(1.702 x)."""
    gate = sigmoid(np.float32(1.702) * x)
    return dy * gate * (1 + np.float32(1.702) * x * (1 - gate))


@rounded
def gelu_grad(dy: Array, x: Array, y: Array) -> Array:
    """The derivative of gelu in its approximation by tanh; y is not needed for it."""
    scale = math.sqrt(2 / math.pi)
    inner = np.tanh(scale * (x + 0.044715 * x**3))
    slope = scale * (1 + 3 * 0.044715 * x**2)
    return dy * 0.5 * (1 + inner + x * (1 - inner**2) * slope)
