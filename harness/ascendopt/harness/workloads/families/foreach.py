"""The foreach operators: one elementwise formula on each tensor of a list."""

# Formulas over arrays of any dtype: numpy's stubs leave their lambdas without types.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ascendopt.harness.workload import Case, TensorSpec, Workload
from ascendopt.harness.workloads.build import Shape, tensor, tensors
from ascendopt.harness.workloads.numeric import Array, Reference, erf, erfc, sigmoid, wide

_LISTS: tuple[tuple[str, tuple[Shape, ...], bool], ...] = (
    ("one-tiny", ((7,),), True),
    ("aligned", ((8, 2048), (16, 1024)), True),
    ("mixed", ((16, 1000), (7,), (1, 33), (3, 5, 7)), True),
    ("large", ((512, 1024), (256, 2048), (1024, 512)), False),
)
_FLOATS = ("float16", "float32", "bfloat16")
_NUMBERS = ("float16", "float32", "int32", "bfloat16")
# bfloat16 lists take float32 factors.
_OWN = {"float16": "float16", "float32": "float32", "int32": "int32", "bfloat16": "float32"}
_SINGLE = {"float16": "float32", "float32": "float32", "int32": "int64", "bfloat16": "float32"}
_SAME = {dtype: dtype for dtype in _NUMBERS}
_COPIED = (
    *("float16", "float32", "int32", "bfloat16", "int8", "uint8", "int16", "uint16", "uint32", "float64", "bool"),
    "int64",
)


def _workload(
    function: str,
    lists: Mapping[str, str],
    dtypes: Sequence[str],
    factor: Callable[[str, int], TensorSpec] | None = None,
    *,
    factor_first: bool = False,
    output: str = "y",
) -> Workload:
    """``lists`` maps the list inputs to their distributions; ``factor`` makes the input that is no list."""
    cases: list[Case] = []
    for dtype in dtypes:
        for name, shapes, checked_only in _LISTS:
            given = [tensors(key, dtype, shapes, how) for key, how in lists.items()]
            if factor is not None:
                given.insert(0 if factor_first else len(given), factor(dtype, len(shapes)))
            outputs = (tensors(output, dtype, shapes),)
            cases.append(Case(f"{name}/{dtype}", tuple(given), outputs, correctness_only=checked_only))
    return Workload(tuple(cases), function=function)


def _factor(name: str, dtypes: Mapping[str, str], distribution: str) -> Callable[[str, int], TensorSpec]:
    return lambda dtype, count: tensor(name, dtypes[dtype], (1,), distribution)


def _factors(name: str, dtypes: Mapping[str, str], distribution: str) -> Callable[[str, int], TensorSpec]:
    return lambda dtype, count: tensor(name, dtypes[dtype], (count,), distribution)


def _unary(function: str, distribution: str = "normal", dtypes: Sequence[str] = _FLOATS) -> Workload:
    return _workload(function, {"x": distribution}, dtypes)


_X = {"x": "normal"}
_PAIR = {"x1": "normal", "x2": "normal"}
_TRIPLE = {"x1": "normal", "x2": "normal", "x3": "uniform(1, 4)"}
_WHOLE = "integers(2, 5)"
_PART = "uniform(0.5, 2)"

WORKLOADS: Mapping[str, Workload] = {
    "ForeachAbs": _unary("absolute"),
    "ForeachAcos": _unary("arccosine", "uniform(-0.95, 0.95)"),
    "ForeachAsin": _unary("arcsine", "uniform(-0.95, 0.95)"),
    "ForeachAtan": _unary("arctangent"),
    "ForeachCopy": _unary("copy", dtypes=_COPIED),
    "ForeachCos": _unary("cosine"),
    "ForeachCosh": _unary("hyperbolic_cosine"),
    "ForeachErf": _unary("error_function"),
    "ForeachErfc": _unary("complementary_error_function", "uniform(-2, 2)"),
    "ForeachExpm1": _unary("exponential_minus_one"),
    "ForeachLog": _unary("logarithm", "positive"),
    "ForeachLog10": _unary("decimal_logarithm", "positive"),
    "ForeachLog1p": _unary("logarithm_plus_one", "positive"),
    "ForeachLog2": _unary("binary_logarithm", "positive"),
    "ForeachNeg": _unary("negative", dtypes=_NUMBERS),
    "ForeachReciprocal": _unary("reciprocal", "uniform(0.25, 8)"),
    "ForeachSigmoid": _unary("logistic"),
    "ForeachSign": _unary("sign", "integers(-2, 2)", ("float16", "float32", "int8", "int32", "int64", "bfloat16")),
    "ForeachSin": _unary("sine"),
    "ForeachSinh": _unary("hyperbolic_sine"),
    "ForeachSqrt": _unary("root", "positive"),
    "ForeachTan": _unary("tangent", "uniform(-1.2, 1.2)"),
    "ForeachTanh": _unary("hyperbolic_tangent"),
    "ForeachZeroInplace": _workload("zero", _X, ("float16", "float32", "int32", "int16", "bfloat16"), output="x"),
    "ForeachAddScalar": _workload("add_scalar", _X, _NUMBERS, _factor("scalar", _OWN, _WHOLE)),
    "ForeachSubScalar": _workload("subtract_scalar", _X, _NUMBERS, _factor("scalar", _OWN, _WHOLE)),
    "ForeachMulScalar": _workload("multiply_scalar", _X, _NUMBERS, _factor("scalar", _OWN, _WHOLE)),
    "ForeachDivScalar": _workload("divide_scalar", _X, _FLOATS, _factor("scalar", _OWN, _PART)),
    "ForeachMaximumScalar": _workload("maximum_scalar", _X, _NUMBERS, _factor("scalar", _OWN, "integers(0, 1)")),
    "ForeachMinimumScalar": _workload("minimum_scalar", _X, _NUMBERS, _factor("scalar", _OWN, "integers(0, 1)")),
    "ForeachPowScalar": _workload(
        "power_scalar", {"x": "uniform(0.5, 3)"}, _NUMBERS, _factor("scalar", _OWN, "integers(2, 3)")
    ),
    "ForeachPowScalarAndTensor": _workload(
        "scalar_power",
        {"x": "uniform(0.5, 3)"},
        _NUMBERS,
        _factor("scalar", _SINGLE, "integers(2, 3)"),
        factor_first=True,
    ),
    "ForeachAddScalarList": _workload("add_scalars", _X, _NUMBERS, _factors("scalars", _SINGLE, _WHOLE)),
    "ForeachDivScalarList": _workload("divide_scalars", _X, _FLOATS, _factors("scalars", _SINGLE, _PART)),
    "ForeachMulList": _workload("multiply_list", _PAIR, _NUMBERS),
    "ForeachDivList": _workload("divide_list", {"x1": "normal", "x2": "uniform(0.5, 4)"}, _FLOATS),
    "ForeachLerpScalar": _workload("lerp", _PAIR, _FLOATS, _factor("weight", _SINGLE, "uniform(0.2, 0.8)")),
    "ForeachAddcdivScalar": _workload("addcdiv_scalar", _TRIPLE, _FLOATS, _factor("scalar", _OWN, _PART)),
    "ForeachAddcmulScalar": _workload("addcmul_scalar", _TRIPLE, _NUMBERS, _factor("scalar", _OWN, _WHOLE)),
    "ForeachAddcdivScalarList": _workload("addcdiv_scalars", _TRIPLE, _FLOATS, _factors("scalars", _SAME, _PART)),
    "ForeachAddcmulScalarList": _workload("addcmul_scalars", _TRIPLE, _NUMBERS, _factors("scalars", _SAME, _WHOLE)),
    "ForeachAddcdivList": _workload("addcdiv_scalars", _TRIPLE, _FLOATS, _factors("scalars", _SAME, _PART)),
    "ForeachAddcmulList": _workload("addcmul_scalars", _TRIPLE, _NUMBERS, _factors("scalars", _SAME, _WHOLE)),
}


def _each(function: Callable[..., Array], lists: int = 1) -> Reference:
    """The reference for ``lists`` tensor lists without anything else."""

    def reference(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
        count = len(inputs) // lists
        rows = [inputs[start : start + count] for start in range(0, lists * count, count)]
        return [_applied(function, row) for row in zip(*rows, strict=True)]

    return reference


def _scaled(function: Callable[..., Array], lists: int = 1, *, many: bool = False, first: bool = False) -> Reference:
    """The reference for tensor lists and one factor for all tensors, or with ``many`` one for each."""

    def reference(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
        given = list(inputs)
        factors = given.pop(0 if first else -1)
        count = len(given) // lists
        rows = [given[start : start + count] for start in range(0, lists * count, count)]
        outputs: list[Array] = []
        for index, row in enumerate(zip(*rows, strict=True)):
            factor = wide(np.reshape(factors, -1)[index if many else 0])
            outputs.append(_applied(lambda *x, by=factor: function(*x, by), row))
        return outputs

    return reference


def _applied(function: Callable[..., Array], arrays: Sequence[Array]) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(function(*(wide(array) for array in arrays))).astype(arrays[0].dtype)


absolute = _each(np.abs)
arccosine = _each(np.arccos)
arcsine = _each(np.arcsin)
arctangent = _each(np.arctan)
binary_logarithm = _each(np.log2)
complementary_error_function = _each(erfc)
copy = _each(lambda x: x)
cosine = _each(np.cos)
decimal_logarithm = _each(np.log10)
error_function = _each(erf)
exponential_minus_one = _each(np.expm1)
hyperbolic_cosine = _each(np.cosh)
hyperbolic_sine = _each(np.sinh)
hyperbolic_tangent = _each(np.tanh)
logarithm = _each(np.log)
logarithm_plus_one = _each(np.log1p)
logistic = _each(sigmoid)
negative = _each(np.negative)
reciprocal = _each(lambda x: 1 / x)
root = _each(np.sqrt)
sign = _each(np.sign)
sine = _each(np.sin)
tangent = _each(np.tan)
zero = _each(np.zeros_like)

add_scalar = _scaled(np.add)
subtract_scalar = _scaled(np.subtract)
multiply_scalar = _scaled(np.multiply)
divide_scalar = _scaled(np.divide)
maximum_scalar = _scaled(np.maximum)
minimum_scalar = _scaled(np.minimum)
power_scalar = _scaled(np.power)
scalar_power = _scaled(lambda x, base: np.power(base, x), first=True)
add_scalars = _scaled(np.add, many=True)
divide_scalars = _scaled(np.divide, many=True)
multiply_list = _each(np.multiply, 2)
divide_list = _each(np.divide, 2)
lerp = _scaled(lambda x1, x2, weight: x1 + weight * (x2 - x1), 2)
addcdiv_scalar = _scaled(lambda x1, x2, x3, by: x1 + x2 / x3 * by, 3)
addcmul_scalar = _scaled(lambda x1, x2, x3, by: x1 + x2 * x3 * by, 3)
addcdiv_scalars = _scaled(lambda x1, x2, x3, by: x1 + x2 / x3 * by, 3, many=True)
addcmul_scalars = _scaled(lambda x1, x2, x3, by: x1 + x2 * x3 * by, 3, many=True)
