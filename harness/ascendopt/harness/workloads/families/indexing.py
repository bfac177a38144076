"""Operators that move rows and elements by index: gather, scatter, selection by a mask, top k."""

# Formulas over arrays of any dtype: numpy's stubs leave what they give without types.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import Shape, tensor
from ascendopt.harness.workloads.numeric import Array

# name, shape of x, shape of the indices, axis
_GATHERED: tuple[tuple[str, Shape, Shape, int], ...] = (
    ("tiny", (5, 8), (3,), 0),
    ("rows", (100, 333), (2, 37), 0),
    ("columns", (37, 101), (50,), 1),
    ("large", (2048, 512), (1024,), 0),
)
_PICKED = (3, 0, 7, 4, 1)
# name, rows, columns
_SCATTERED = (("tiny", 3, 8), ("tail", 37, 101), ("large", 512, 1024))
# name, rows of var, rows of value, columns
_ADDED = (("tiny", 5, 4, 8), ("tail", 37, 100, 101), ("large", 1024, 2048, 512))
_SELECTED: tuple[tuple[str, Shape], ...] = (("tiny", (25,)), ("tail", (37, 335)), ("large", (256, 1000)))
_MASK = (1, 0, 0, 1, 1)


def _gather() -> Workload:
    cases: list[Case] = []
    for dtype in ("float32", "float16", "bfloat16", "int32", "int64", "int8"):
        for counts in ("int32", "int64"):
            for name, shape, indices, axis in _GATHERED:
                made = (*shape[:axis], *indices, *shape[axis + 1 :])
                inputs = (
                    tensor("x", dtype, shape),
                    tensor("indices", counts, indices, f"integers(0, {shape[axis] - 1})"),
                    tensor("axis", "int64", (1,), f"constant({axis})"),
                )
                outputs = (tensor("y", dtype, made),)
                attrs = {"batchDims": 0, "negativeIndexSupport": False}
                cases.append(Case(f"{name}/{dtype}-{counts}", inputs, outputs, attrs, correctness_only=name != "large"))
    return Workload(tuple(cases), function="gathered")


def _scatter_elements() -> Workload:
    cases: list[Case] = []
    picked = f"values({', '.join(map(str, _PICKED))})"
    for dtype in ("float32", "float16", "int32", "uint8", "int8", "bfloat16"):
        for counts in ("int64", "int32"):
            for name, rows, columns in _SCATTERED:
                for reduction in ("none", "add"):
                    inputs = (
                        tensor("var", dtype, (rows, columns), "integers(0, 50)"),
                        tensor("indices", counts, (rows, len(_PICKED)), picked),
                        tensor("updates", dtype, (rows, len(_PICKED)), "integers(0, 50)"),
                    )
                    attrs = {"axis": 1, "reduction": reduction}
                    case = f"{name}-{reduction}/{dtype}-{counts}"
                    outputs = (tensor("var", dtype, (rows, columns)),)
                    cases.append(Case(case, inputs, outputs, attrs, correctness_only=name != "large"))
    return Workload(tuple(cases), function="scattered")


def _index_add() -> Workload:
    cases = [
        Case(
            f"{name}/{dtype}",
            (
                tensor("var", dtype, (rows, columns), "integers(-8, 8)"),
                tensor("value", dtype, (count, columns), "integers(-8, 8)"),
                tensor("sorted_indices", "int32", (count,), f"sorted(0, {rows - 1})"),
                tensor("pos", "int32", (count,), "range(0, 1)"),
                tensor("alpha", "int32" if dtype == "int32" else "float32", (1,), "constant(2)"),
            ),
            (tensor("var", dtype, (rows, columns)),),
            {"axis": 0},
            correctness_only=name != "large",
        )
        for dtype in ("float32", "float16", "bfloat16", "int32")
        for name, rows, count, columns in _ADDED
    ]
    return Workload(tuple(cases), function="index_added")


def _scatter_add() -> Workload:
    cases = [
        Case(
            f"{name}/{dtype}",
            (
                tensor("var", dtype, (rows, columns), "integers(0, 2)"),
                tensor("value", dtype, (count, columns), "integers(0, 2)"),
                tensor("sorted_index", "int32", (count,), f"sorted(0, {rows - 1})"),
                tensor("pos", "int32", (count,), "range(0, 1)"),
            ),
            (tensor("var", dtype, (rows, columns)),),
            {"reduction": "add"},
            correctness_only=name != "large",
        )
        for dtype in ("float32", "float16", "int32", "uint8", "int8", "bfloat16")
        for name, rows, count, columns in _ADDED
    ]
    return Workload(tuple(cases), function="scatter_added")


def _masked_select() -> Workload:
    cases: list[Case] = []
    for dtype in ("float32", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "bool"):
        for name, shape in _SELECTED:
            count = int(np.prod(shape)) // len(_MASK) * sum(_MASK)
            inputs = (
                tensor("x", dtype, shape),
                tensor("mask", "bool", shape, f"values({', '.join(map(str, _MASK))})"),
            )
            outputs = (tensor("y", dtype, (count,)),)
            cases.append(Case(f"{name}/{dtype}", inputs, outputs, correctness_only=name != "large"))
    return Workload(tuple(cases), function="selected")


WORKLOADS: Mapping[str, Workload] = {
    "GatherV3": _gather(),
    "InplaceIndexAddWithSorted": _index_add(),
    "MaskedSelectV3": _masked_select(),
    "ScatterAddWithSorted": _scatter_add(),
    "ScatterElementsV2": _scatter_elements(),
}


def gathered(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """The slices of x that the indices name."""
    x, indices, axis = inputs
    return [np.take(x, indices, axis=int(axis[0]))]


def scattered(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Elements replaced or added to; no two updates of a row meet."""
    var, indices, updates = inputs
    result = var.copy()
    chosen = indices.astype(np.int64)
    old = np.take_along_axis(result, chosen, axis=attrs["axis"])
    new = updates if attrs["reduction"] == "none" else (old + updates).astype(var.dtype)
    np.put_along_axis(result, chosen, new, axis=attrs["axis"])
    return [result]


def index_added(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Rows of value, times alpha, added to the rows of var that the sorted indices name."""
    var, value, indices, pos, alpha = inputs
    return [_rows_added(var, value[pos].astype(np.float64) * float(alpha[0]), indices)]


def scatter_added(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Rows of value added to the rows of var that the sorted indices name."""
    var, value, indices, pos = inputs
    return [_rows_added(var, value[pos].astype(np.float64), indices)]


def _rows_added(var: Array, rows: Array, indices: Array) -> Array:
    result = var.astype(np.float64)
    np.add.at(result, indices, rows)
    return result.astype(var.dtype)


def selected(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """The elements where the mask is on, in the order of memory."""
    x, mask = inputs
    return [x[mask]]
