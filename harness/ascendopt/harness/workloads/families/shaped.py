"""Operators whose values come from positions and shapes: matrices of ones, ranges, triangles, broadcasts, casts."""

# Formulas over arrays of any dtype: numpy's stubs leave their lambdas without types.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import MODERATE, WHOLE_BLOCKS, Shape, elementwise, tensor
from ascendopt.harness.workloads.numeric import Array, plain, scalar

_EYES: tuple[tuple[str, Shape, int, int, bool], ...] = (
    ("tiny", (), 3, 0, True),
    ("tall", (3, 4), 18, 10, True),
    ("wide", (5,), 7, 33, True),
    ("large", (8,), 128, 128, False),
)
# name, start, step, elements
_RANGES = (("tiny", 1, 1, 7), ("tail", 3, 2, 333), ("down", 900, -1, 1001), ("large", 0, 1, 2000))
_EXPANDED: tuple[tuple[str, Shape, Shape], ...] = (
    ("tiny", (1, 4), (4, 4)),
    ("rows", (1, 1000), (37, 1000)),
    ("columns", (64, 1), (64, 333)),
    ("large", (1, 2048), (512, 2048)),
)
_FILLED: tuple[tuple[str, Shape], ...] = (("tiny", (7,)), ("tail", (5, 9, 8, 1)), ("large", (512, 1000)))
_CROSSED: tuple[tuple[str, Shape, int], ...] = (
    ("tiny", (4, 3), 1),
    ("tail", (3, 333), 0),
    ("middle", (7, 3, 40), 1),
    ("large", (512, 3, 64), 1),
)
# dtype of x -> dtypes of y
_CASTS: Mapping[str, Sequence[str]] = {
    "float16": ("float32", "int8", "int32", "int16", "uint8", "bool", "bfloat16"),
    "float32": ("float16", "bfloat16", "int32", "int64", "bool", "int8", "uint8", "int16"),
    "int32": ("float32", "float16", "bfloat16", "int8", "uint8", "int16", "int64", "bool"),
    "int8": ("float16", "float32", "int32", "uint8", "bool", "bfloat16", "int16", "int64"),
    "uint8": ("float16", "float32", "int32", "int8", "int16", "bfloat16", "int64"),
    "bool": ("float16", "float32", "int32", "int8", "uint8", "bfloat16", "int64"),
    "int64": ("float16", "float32", "int8", "int32", "uint8", "bool", "int16", "bfloat16"),
    "bfloat16": ("float16", "float32", "int8", "int32", "uint8", "bool"),
    "int16": ("float16", "float32", "int8", "int32", "uint8", "int64"),
}
# The numbers of the graph engine's data types.
_TYPE_NUMBERS = {
    "float32": 0,
    "float16": 1,
    "int8": 2,
    "int32": 3,
    "uint8": 4,
    "int16": 6,
    "int64": 9,
    "bool": 12,
    "bfloat16": 27,
}


def _eye(dtypes: Sequence[str]) -> Workload:
    cases: list[Case] = []
    for dtype in dtypes:
        for name, batch, rows, columns, checked_only in _EYES:
            shape = (*batch, rows, columns or rows)
            attrs = {"num_rows": rows, "num_columns": columns, "batch_shape": batch, "dtype": 0}
            given, made = tensor("y", dtype, shape, "zeros"), tensor("y", dtype, shape)
            cases.append(Case(f"{name}/{dtype}", (given,), (made,), attrs, correctness_only=checked_only))
    return Workload(tuple(cases), function="eye")


def _arange() -> Workload:
    cases: list[Case] = []
    for dtype in ("float32", "float16", "int32", "int64", "bfloat16"):
        for name, start, step, count in _RANGES:
            if dtype == "bfloat16":
                # Whole numbers that bfloat16 holds.
                start, step, count = 0, 1, min(count, 250)
            end = start + step * count
            given = {"start": start, "end": end, "step": step}
            inputs = tuple(tensor(key, dtype, (1,), f"constant({value})") for key, value in given.items())
            outputs = (tensor("out", dtype, (count,)),)
            cases.append(Case(f"{name}/{dtype}", inputs, outputs, correctness_only=name != "large"))
    return Workload(tuple(cases), function="arange")


def _triangle(function: str, large: Shape) -> Workload:
    cases = [
        Case(
            f"{name}/{dtype}",
            (tensor("x", dtype, shape),),
            (tensor("y", dtype, shape),),
            {"diagonal": diagonal},
            correctness_only=name != "large",
        )
        for dtype in ("float16", "float32")
        for name, shape, diagonal in (
            ("tiny", (3, 5), 0),
            ("square", (10, 10), 0),
            ("above", (64, 64), 2),
            ("below", (2, 37, 33), -3),
            ("large", large, 0),
        )
    ]
    return Workload(tuple(cases), function=function)


def _fill() -> Workload:
    cases = [
        Case(
            f"{name}/{dtype}",
            (
                tensor("dims", "int64", (len(shape),), f"values({', '.join(map(str, shape))})"),
                tensor("value", dtype, (1,), "integers(1, 9)"),
            ),
            (tensor("y", dtype, shape),),
            correctness_only=name != "large",
        )
        for dtype in ("float16", "float32", "int32", "int8", "int64", "bfloat16", "bool")
        for name, shape in _FILLED
    ]
    return Workload(tuple(cases), function="fill")


def _expand() -> Workload:
    cases = [
        Case(
            f"{name}/int64",
            (tensor("x", "int64", before),),
            (tensor("y", "int64", after),),
            {"shape": after},
            correctness_only=name != "large",
        )
        for name, before, after in _EXPANDED
    ]
    return Workload(tuple(cases), function="expand")


def _cross() -> Workload:
    cases = [
        Case(
            f"{name}/{dtype}",
            # Products of int8 stay inside the type.
            (tensor("x1", dtype, shape, "integers(-7, 7)"), tensor("x2", dtype, shape, "integers(-7, 7)")),
            (tensor("y", dtype, shape),),
            {"dim": dim},
            correctness_only=name != "large",
        )
        for dtype in ("float32", "float16", "int32", "int8")
        for name, shape, dim in _CROSSED
    ]
    return Workload(tuple(cases), function="cross")


def _cast() -> Workload:
    cases: list[Case] = []
    for before, targets in _CASTS.items():
        for after in targets:
            # Values that every dtype holds, most of them no whole numbers where there can be some.
            low = 0 if "uint8" in (before, after) else -100
            attrs = {"dst_type": _TYPE_NUMBERS[after]}
            cases += [
                Case(
                    f"{size.name}/{before}-{after}",
                    (tensor("x", before, size.shape, f"uniform({low}, 100)"),),
                    (tensor("y", after, size.shape),),
                    attrs,
                    correctness_only=size.checked_only,
                )
                # The operator copies whole blocks of 32 elements and so reads past the end of anything else.
                for size in (WHOLE_BLOCKS[0], WHOLE_BLOCKS[2], WHOLE_BLOCKS[3])
            ]
    return Workload(tuple(cases), function="cast")


def _reshape() -> Workload:
    dtypes = ("float16", "float32", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
    shapes: tuple[tuple[str, Shape, Shape], ...] = (
        ("tiny", (2, 3), (3, 2)),
        ("tail", (7, 11, 13), (13, 77)),
        ("large", (512, 1000), (1000, 512)),
    )
    cases = [
        Case(
            f"{name}/{dtype}",
            (
                tensor("x", dtype, before),
                tensor("shape", "int32", (len(after),), f"values({', '.join(map(str, after))})"),
            ),
            (tensor("y", dtype, after),),
            {"axis": 0, "num_axes": -1},
            correctness_only=name != "large",
        )
        for dtype in dtypes
        for name, before, after in shapes
    ]
    return Workload(tuple(cases), function="reshape")


def _angle() -> Workload:
    own = {"float16": "float16"}
    dtypes = ("float16", "float32", "complex64", "bool", "uint8", "int8", "int16", "int32", "int64")
    cases = [case for dtype in dtypes for case in _angles(dtype, own.get(dtype, "float32"))]
    return Workload(tuple(cases), function="angle")


def _angles(dtype: str, result: str) -> tuple[Case, ...]:
    return elementwise({"x": "normal"}, {"y": result}, (dtype,), MODERATE)


def _halves() -> Workload:
    shapes: tuple[tuple[str, Shape], ...] = (
        # The kernel gives each of eight cores as many rows.
        ("tiny", (1, 8, 1, 128)),
        ("example", (1, 128, 1, 128)),
        ("large", (8, 256, 2, 128)),
    )
    # It computes in half precision, whatever its definition says.
    cases = [
        Case(
            f"{name}/float16",
            (tensor("input", "float16", shape),),
            (tensor("output", "float16", shape),),
            correctness_only=name != "large",
        )
        for name, shape in shapes
    ]
    return Workload(tuple(cases), function="negate_half")


def _gather() -> Workload:
    # Every core of the kernel copies everything, in whole blocks: rows of anything else are a race.
    sizes = (("small", 4, 40, 16, 64), ("example", 37, 43, 43, 1024), ("large", 8, 512, 128, 1024))
    cases = [
        Case(
            f"{name}/{dtype}",
            (
                tensor("x1", dtype, (batch, rows, columns)),
                tensor("indices", "int32", (batch, taken), f"integers(0, {rows - 1})"),
            ),
            (tensor("y", dtype, (batch, taken, columns)),),
            {"batch_dims": 1},
            correctness_only=name != "large",
        )
        for dtype in ("float16", "float32", "int8", "int16", "int32", "int64", "uint8", "uint16")
        for name, batch, rows, taken, columns in sizes
    ]
    return Workload(tuple(cases), function="gather")


WORKLOADS: Mapping[str, Workload] = {
    "AngleV2": _angle(),
    "Arange": _arange(),
    "Cast": _cast(),
    "Cross": _cross(),
    "ExpandV2": _expand(),
    "Eye": _eye(("float32", "float16", "int32")),
    "EyeFp64": _eye(("float32", "float16", "int32", "float64")),
    "Fill": _fill(),
    "Gather": _gather(),
    "Reshape": _reshape(),
    "StridesliceNegConcatV2": _halves(),
    "Tril": _triangle("lower_triangle", (512, 1024)),
    # Its kernel takes whole repeats in a row another way, and is a row off in its first tile.
    "Triu": _triangle("upper_triangle", (128, 1000)),
}

lower_triangle = plain(lambda x, diagonal: np.tril(x, diagonal))
upper_triangle = plain(lambda x, diagonal: np.triu(x, diagonal))
expand = plain(lambda x, shape: np.broadcast_to(x, shape))
gather = plain(lambda x, indices, batch_dims: np.take_along_axis(x, indices[..., None], axis=1))
fill = plain(lambda dims, value: np.full(tuple(dims), scalar(value)))
reshape = plain(lambda x, shape, axis, num_axes: np.reshape(x, tuple(shape)))


@plain
def eye(y: Array, num_rows: int, num_columns: int, batch_shape: Shape, dtype: int) -> Array:
    """Ones on the diagonal of each matrix of the batch."""
    return np.broadcast_to(np.eye(num_rows, num_columns or num_rows), y.shape).astype(y.dtype)


@plain
def arange(start: Array, end: Array, step: Array) -> Array:
    """From ``start`` up to but not including ``end``."""
    values = np.arange(float(scalar(start)), float(scalar(end)), float(scalar(step)))
    return values.astype(start.dtype)


@plain
def cross(x1: Array, x2: Array, dim: int) -> Array:
    """The vector product along ``dim``."""
    return np.cross(x1, x2, axis=dim).astype(x1.dtype)


@plain
def negate_half(x: Array) -> Array:
    """The second half of the last dimension with the other sign."""
    middle = x.shape[-1] // 2
    return np.concatenate([x[..., :middle], -x[..., middle:]], axis=-1)


@plain
def angle(x: Array) -> Array:
    """The argument of complex numbers; of real ones pi where they are negative and else 0."""
    if np.iscomplexobj(x):
        return np.angle(x).astype(np.float32)
    return np.where(x < 0, np.pi, 0.0).astype(np.float16 if x.dtype == np.float16 else np.float32)


def cast(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """To the dtype with the number ``dst_type``: floats become integers by dropping the fraction."""
    names = {number: name for name, number in _TYPE_NUMBERS.items()}
    name = names[attrs["dst_type"]]
    (x,) = inputs
    if name == "bfloat16":
        import ml_dtypes

        return [x.astype(np.float32).astype(ml_dtypes.bfloat16)]
    if name == "bool":
        return [x != 0]
    wide = x.astype(np.float64) if x.dtype.itemsize <= 4 else x
    return [wide.astype(np.dtype(name))]
