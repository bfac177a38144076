"""Normalisations of a sum of tensors over its last dimension, some of them quantised."""

# numpy's stubs leave functions of arrays of any dtype partly unknown.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ascendopt.harness.workload import Case, TensorSpec, Workload
from ascendopt.harness.workloads.build import tensor
from ascendopt.harness.workloads.families.norms import CORES, SIZES, Rows
from ascendopt.harness.workloads.numeric import Array, quantised, wide

_FLOATS = ("float16", "float32", "bfloat16")
_INT8 = 2  # the number of the graph engine's data type


def _absent(name: str, dtype: str) -> TensorSpec:
    return TensorSpec(name, dtype, ())


def _vectors(size: Rows, dtype: str, *names: str) -> tuple[TensorSpec, ...]:
    """Weights of one row: around one for gamma, around nought for the others."""
    return tuple(
        tensor(name, dtype, (size.columns,), "uniform(0.5, 1.5)" if name == "gamma" else "normal") for name in names
    )


def _layer(size: Rows, dtypes: tuple[str, str, str], in_place: bool, bias: bool) -> Case:
    """``dtypes`` of x1, of x2 and of gamma. The sum itself is an output only when it is asked for."""
    x1, x2, gamma = dtypes
    y = x1 if x1 == x2 else "float32"
    return Case(
        f"{size.name}{'-bias' if bias else ''}/{'-'.join(dtypes)}",
        (
            tensor("x1", x1, size.shape),
            tensor("x2", x2, size.shape),
            *_vectors(size, gamma, "gamma", "beta"),
            *(_vectors(size, y, "bias") if bias else (_absent("bias", y),)),
        ),
        (
            tensor("x1" if in_place else "y", y, size.shape),
            tensor("mean", "float32", (*size.rows, 1)),
            tensor("rstd", "float32", (*size.rows, 1)),
            tensor("x2" if in_place else "x", y, size.shape),
        ),
        {"epsilon": 1e-5, "additional_output": True},
        correctness_only=size.checked_only,
    )


def _rms(size: Rows, dtype: str, outputs: Mapping[str, str]) -> Case:
    """``outputs``: names and dtypes, ``rstd`` among them."""
    return Case(
        f"{size.name}/{dtype}",
        (
            tensor("x1", dtype, size.shape),
            tensor("x2", dtype, size.shape),
            *_vectors(size, dtype, "gamma"),
        ),
        tuple(
            tensor(name, own or dtype, (*size.rows, 1) if name == "rstd" else size.shape)
            for name, own in outputs.items()
        ),
        {"epsilon": 1e-6},
        correctness_only=size.checked_only,
    )


def _rms_dynamic(size: Rows, dtype: str, smooth: int) -> Case:
    names = ("smooth_scale1", "smooth_scale2")
    scales = tuple(
        tensor(name, dtype, (size.columns,), "uniform(0.5, 1.5)") if number < smooth else _absent(name, dtype)
        for number, name in enumerate(names)
    )
    outputs = (
        tensor("y1", "int8", size.shape),
        replace(tensor("y2", "int8", size.shape), checked=smooth == 2),
        tensor("x", dtype, size.shape),
        tensor("scale1", "float32", size.rows),
        replace(tensor("scale2", "float32", size.rows), checked=smooth == 2),
    )
    inputs = (tensor("x1", dtype, size.shape), tensor("x2", dtype, size.shape), *_vectors(size, dtype, "gamma"))
    name = f"{size.name}-smooth{smooth}/{dtype}"
    return Case(name, (*inputs, *scales), outputs, {"epsilon": 1e-6}, correctness_only=size.checked_only)


def _layer_quant(size: Rows, dtype: str) -> Case:
    """Scales found row by row; no smoothing. Without a bias the kernel for several rows adds what lies in its place."""
    optional = ("scales1", "scales2", "zero_points1", "zero_points2")
    return Case(
        f"{size.name}/{dtype}",
        (
            tensor("x1", dtype, size.shape),
            tensor("x2", dtype, size.shape),
            *_vectors(size, dtype, "gamma", "beta", "bias"),
            *(_absent(name, dtype) for name in optional),
        ),
        (
            tensor("y1", "int8", size.shape),
            replace(tensor("y2", "int8", size.shape), checked=False),
            tensor("x", dtype, size.shape),
            tensor("out_scales1", "float32", size.rows),
            replace(tensor("out_scales2", "float32", size.rows), checked=False),
        ),
        {"quant_mode": "dynamic", "epsilon": 1e-5, "additional_output": True},
        correctness_only=size.checked_only,
    )


def _rms_quant_v2(size: Rows, dtypes: tuple[str, str, str]) -> Case:
    x, scale, zero = dtypes
    return Case(
        f"{size.name}/{'-'.join(dtypes)}",
        (
            tensor("x1", x, size.shape),
            tensor("x2", x, size.shape),
            *_vectors(size, x, "gamma"),
            tensor("scales1", scale, (size.columns,), "uniform(0.03, 0.06)"),
            _absent("scales2", scale),
            tensor("zero_points1", zero, (size.columns,), "integers(-8, 8)"),
            _absent("zero_points2", zero),
            _absent("bias", x),
        ),
        (
            tensor("y1", "int8", size.shape),
            replace(tensor("y2", "int8", size.shape), checked=False),
            tensor("x", x, size.shape),
        ),
        {"axis": -1, "epsilon": 1e-6, "div_mode": True},
        correctness_only=size.checked_only,
    )


def _layer_by_scales(size: Rows, dtype: str, scale: str, outputs: Sequence[str]) -> Case:
    """``outputs``: y's, one or two, each with scales and offsets by column. Without a reference: whether the scales
    divide or multiply, and where float16 is rounded, depends on the kernel that the shape leads to."""
    suffixes = ("",) if len(outputs) == 1 else ("1", "2")
    return Case(
        f"{size.name}/{dtype}-{scale}",
        (
            tensor("x1", dtype, size.shape),
            tensor("x2", dtype, size.shape),
            *_vectors(size, dtype, "gamma", "beta", "bias"),
            *(tensor(f"scales{suffix}", scale, (size.columns,), "uniform(0.03, 0.06)") for suffix in suffixes),
            *(tensor(f"zero_points{suffix}", scale, (size.columns,), "integers(-8, 8)") for suffix in suffixes),
        ),
        (*(tensor(name, "int8", size.shape) for name in outputs), tensor("x", dtype, size.shape)),
        {"dtype": _INT8, "axis": -1, "epsilon": 1e-5, "additional_output": True},
        correctness_only=size.checked_only,
    )


_MIXED = (("float32", "float16", "float32"), ("bfloat16", "float32", "float32"), ("float16", "float16", "float32"))

WORKLOADS: Mapping[str, Workload] = {
    "AddLayerNorm": Workload(
        tuple(
            _layer(size, dtypes, in_place=False, bias=bias)
            for dtypes in (*((dtype, dtype, dtype) for dtype in _FLOATS), *_MIXED)
            for size in SIZES
            for bias in (False, True)
        ),
        function="add_layer_norm",
    ),
    "InplaceAddLayerNorm": Workload(
        tuple(
            _layer(size, (dtype, dtype, dtype), in_place=True, bias=bias)
            for dtype in _FLOATS
            for size in SIZES
            for bias in (False, True)
        ),
        function="add_layer_norm",
    ),
    "AddRmsNorm": Workload(
        tuple(_rms(size, dtype, {"y": "", "rstd": "float32", "x": ""}) for dtype in _FLOATS for size in SIZES),
        function="add_rms_norm",
    ),
    "InplaceAddRmsNorm": Workload(
        tuple(_rms(size, dtype, {"x1": "", "rstd": "float32", "x2": ""}) for dtype in _FLOATS for size in SIZES),
        function="add_rms_norm",
    ),
    "AddRmsNormCast": Workload(
        tuple(
            _rms(size, dtype, {"y1": "float32", "y2": "", "rstd": "float32", "x": ""})
            for dtype in ("float16", "bfloat16")
            for size in SIZES
        ),
        function="add_rms_norm_cast",
    ),
    "AddRmsNormDynamicQuant": Workload(
        tuple(
            _rms_dynamic(size, dtype, smooth)
            for dtype in ("float16", "bfloat16")
            for size in SIZES
            for smooth in (0, 1, 2)
        ),
        function="add_rms_norm_dynamic_quant",
    ),
    "AddLayerNormQuant": Workload(
        tuple(_layer_quant(size, dtype) for dtype in _FLOATS for size in SIZES), function="add_layer_norm_quant"
    ),
    "AddRmsNormQuantV2": Workload(
        tuple(
            _rms_quant_v2(size, dtypes)
            for dtypes in (
                ("float16", "float32", "int32"),
                ("bfloat16", "bfloat16", "bfloat16"),
                ("bfloat16", "float32", "int32"),
            )
            for size in SIZES
        ),
        function="add_rms_norm_quant_v2",
    ),
    "DuaQuantizeAddLayerNorm": Workload(
        tuple(_layer_by_scales(size, dtype, dtype, ("y1", "y2")) for dtype in _FLOATS for size in SIZES),
        function="",
    ),
    "QuantizeAddLayerNorm": Workload(
        tuple(
            _layer_by_scales(size, dtype, scale, ("y",))
            for dtype, scale in (("float16", "float32"), ("bfloat16", "bfloat16"), ("float32", "float32"))
            for size in SIZES
        ),
        function="",
    ),
}


def _layer_normal(total: Array, gamma: Array, beta: Array, epsilon: float) -> tuple[Array, Array, Array]:
    mean = total.mean(axis=-1, keepdims=True, dtype=np.float32)
    rstd = 1 / np.sqrt(np.mean((total - mean) ** 2, axis=-1, keepdims=True) + np.float32(epsilon))
    return (total - mean) * rstd * wide(gamma) + wide(beta), mean, rstd


def _rms_normal(total: Array, gamma: Array, epsilon: float) -> tuple[Array, Array]:
    rstd = 1 / np.sqrt(np.mean(total * total, axis=-1, keepdims=True, dtype=np.float32) + np.float32(epsilon))
    return total * rstd * wide(gamma), rstd


def _sum(x1: Array, x2: Array) -> Array:
    """In float32, rounded to the type of the inputs, as the operators do before they go on."""
    total = wide(x1) + wide(x2)
    return wide(total.astype(x1.dtype))


def _by_row(y: Array) -> tuple[Array, Array]:
    """int8 values, before they are rounded, and the scale of each row."""
    scale = np.max(np.abs(y), axis=-1, keepdims=True) / np.float32(127)
    return quantised(y / scale), scale[..., 0].astype(np.float32)


def add_layer_norm(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """The layer norm of x1 + x2 + bias, its mean, the inverse of its deviation, and the sum."""
    x1, x2, gamma, beta, *bias = inputs
    total = wide(x1) + wide(x2) + (wide(bias[0]) if bias else np.float32(0))
    y, mean, rstd = _layer_normal(total, gamma, beta, attrs["epsilon"])
    dtype = x1.dtype if x1.dtype == x2.dtype else np.dtype(np.float32)
    return [y.astype(dtype), mean, rstd.astype(np.float32), total.astype(dtype)]


def add_rms_norm(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """The RMS norm of x1 + x2, the inverse of its root mean square, and the sum."""
    x1, x2, gamma = inputs
    total = _sum(x1, x2)
    y, rstd = _rms_normal(total, gamma, attrs["epsilon"])
    return [y.astype(x1.dtype), rstd.astype(np.float32), total.astype(x1.dtype)]


def add_rms_norm_cast(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """As ``add_rms_norm``, with the result in float32 first: of float16 rounded, of bfloat16 not."""
    x1, x2, gamma = inputs
    total = _sum(x1, x2) if x1.dtype == np.float16 else wide(x1) + wide(x2)
    y, rstd = _rms_normal(total, gamma, attrs["epsilon"])
    if x1.dtype == np.float16:
        y = wide((total * rstd).astype(np.float16) * gamma)
    return [y, y.astype(x1.dtype), rstd.astype(np.float32), total.astype(x1.dtype)]


def add_rms_norm_dynamic_quant(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """The RMS norm of x1 + x2, smoothed by each given scale, in int8 with a scale a row."""
    x1, x2, gamma, *smooth = inputs
    total = wide(x1) + wide(x2)
    y, _ = _rms_normal(total, gamma, attrs["epsilon"])
    pairs = [_by_row(y * wide(scale)) for scale in smooth] or [_by_row(y)]
    (y1, scale1), (y2, scale2) = pairs[0], pairs[-1]
    return [y1, y2, total.astype(x1.dtype), scale1, scale2]


def add_layer_norm_quant(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """The layer norm of x1 + x2 + bias in int8 with a scale a row."""
    x1, x2, gamma, beta, bias = inputs
    total = wide(x1) + wide(x2) + wide(bias)
    y, scale = _by_row(_layer_normal(total, gamma, beta, attrs["epsilon"])[0])
    return [y, np.zeros_like(y), total.astype(x1.dtype), scale, np.zeros_like(scale)]


def add_rms_norm_quant_v2(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """The RMS norm of x1 + x2 over scales1 plus zero_points1, before it is rounded to int8."""
    x1, x2, gamma, scales, zeros = inputs
    total = wide(x1) + wide(x2)
    if x1.dtype == np.float16 or total.size <= CORES * total.shape[-1]:
        total = _sum(x1, x2)
    y, _ = _rms_normal(total, gamma, attrs["epsilon"])
    return [quantised(y / wide(scales) + wide(zeros)), np.zeros(y.shape, np.int8), total.astype(x1.dtype)]
