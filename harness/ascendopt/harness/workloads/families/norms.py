"""Normalisations: over the last dimension, or over groups of channels."""

# numpy's stubs leave functions of arrays of any dtype partly unknown.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ascendopt.harness.workload import Case, TensorSpec, Workload
from ascendopt.harness.workloads.build import Shape, tensor
from ascendopt.harness.workloads.numeric import Array, quantised, sigmoid, wide

_FLOATS = ("float16", "float32", "bfloat16")
CORES = 48  # vector cores of the default chip


@dataclass(frozen=True)
class Rows:
    """Rows to normalise, each of ``columns`` elements."""

    name: str
    rows: Shape
    columns: int
    checked_only: bool = True

    @property
    def shape(self) -> Shape:
        return (*self.rows, self.columns)


SIZES = (
    Rows("tiny", (2,), 16),
    Rows("aligned", (64,), 256),
    Rows("tail", (37,), 333),
    Rows("wide", (5, 3), 4096),
    Rows("large", (512,), 1024, checked_only=False),
)


def _deep_norm(size: Rows, dtype: str) -> Case:
    rows, columns, shape = size.rows, size.columns, size.shape
    return Case(
        f"{size.name}/{dtype}",
        (
            tensor("x", dtype, shape),
            tensor("gx", dtype, shape),
            tensor("beta", dtype, (columns,)),
            tensor("gamma", dtype, (columns,), "uniform(0.5, 1.5)"),
        ),
        (
            tensor("mean", "float32", (*rows, 1)),
            tensor("rstd", "float32", (*rows, 1)),
            tensor("y", dtype, shape),
        ),
        {"alpha": 0.3, "epsilon": 1e-6},
        correctness_only=size.checked_only,
    )


def _layer_norm_grad(size: Rows, dtype: str, summed: bool) -> Case:
    rows, columns, shape = size.rows, size.columns, size.shape
    dsum = tensor("dsum", dtype, shape) if summed else TensorSpec("dsum", dtype, ())
    return Case(
        f"{size.name}{'-sum' if summed else ''}/{dtype}",
        (
            *(tensor(key, dtype, shape) for key in ("dy", "x1", "x2")),
            tensor("rstd", "float32", (*rows, 1), "uniform(0.5, 1)"),
            tensor("mean", "float32", (*rows, 1), "uniform(-0.1, 0.1)"),
            tensor("gamma", dtype, (columns,), "uniform(0.5, 1.5)"),
            dsum,
        ),
        (
            tensor("dx", dtype, shape),
            tensor("dgamma", "float32", (columns,)),
            tensor("dbeta", "float32", (columns,)),
        ),
        correctness_only=size.checked_only,
    )


def _add_rms_norm_quant(size: Rows, dtypes: tuple[str, str, str]) -> Case:
    x, scale, zero = dtypes
    columns, shape = size.columns, size.shape
    return Case(
        f"{size.name}/{'-'.join(dtypes)}",
        (
            tensor("x1", x, shape),
            tensor("x2", x, shape),
            tensor("gamma", x, (columns,), "uniform(0.5, 1.5)"),
            tensor("scales1", scale, (columns,), "uniform(0.03, 0.06)"),
            TensorSpec("scales2", scale, ()),
            tensor("zero_points1", zero, (columns,), "integers(-8, 8)"),
            TensorSpec("zero_points2", zero, ()),
        ),
        (
            tensor("y1", "int8", shape),
            # Documented: not used, its values are random.
            replace(tensor("y2", "int8", shape), checked=False),
            tensor("x", x, shape),
        ),
        {"axis": -1, "epsilon": 1e-6, "div_mode": True},
        correctness_only=size.checked_only,
    )


def _group_norm(name: str, dtypes: tuple[str, str], shape: Shape, groups: int, checked_only: bool) -> Case:
    x, gamma = dtypes
    return Case(
        f"{name}/{x}-{gamma}",
        (
            tensor("x", x, shape),
            tensor("gamma", gamma, shape[1:2], "uniform(0.5, 1.5)"),
            tensor("beta", gamma, shape[1:2]),
        ),
        (
            tensor("y", x, shape),
            tensor("mean", gamma, (shape[0], groups)),
            tensor("rstd", gamma, (shape[0], groups)),
        ),
        {"num_groups": groups, "eps": 1e-5, "activate_swish": True, "swish_scale": 1.0},
        correctness_only=checked_only,
    )


WORKLOADS: Mapping[str, Workload] = {
    "DeepNorm": Workload(tuple(_deep_norm(size, dtype) for dtype in _FLOATS for size in SIZES), function="deep_norm"),
    "AddLayerNormGrad": Workload(
        tuple(
            _layer_norm_grad(size, dtype, summed)
            for dtype in ("float32", "float16", "bfloat16")
            for size in SIZES
            for summed in (False, True)
        ),
        function="add_layer_norm_grad",
    ),
    "AddRmsNormQuant": Workload(
        tuple(
            _add_rms_norm_quant(size, dtypes)
            for dtypes in (
                ("float16", "float32", "int32"),
                ("bfloat16", "bfloat16", "bfloat16"),
                ("bfloat16", "float32", "int32"),
            )
            for size in SIZES
        ),
        function="add_rms_norm_quant",
    ),
    "GroupNormSwish": Workload(
        tuple(
            _group_norm(name, dtypes, shape, groups, checked_only)
            for dtypes in (("float16", "float16"), ("float32", "float32"), ("float16", "float32"))
            for name, shape, groups, checked_only in (
                ("tiny", (1, 4, 8), 2, True),
                ("tail", (3, 12, 7, 11), 3, True),
                ("large", (4, 64, 32, 32), 8, False),
            )
        ),
        function="group_norm_swish",
    ),
}


def deep_norm(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """alpha x + gx, normalised over the last dimension, scaled and shifted."""
    x, gx, beta, gamma = (array.astype(np.float64) for array in inputs)
    total = attrs["alpha"] * x + gx
    mean = total.mean(axis=-1, keepdims=True)
    rstd = 1 / np.sqrt(total.var(axis=-1, keepdims=True) + attrs["epsilon"])
    y = (total - mean) * rstd * gamma + beta
    return [mean.astype(np.float32), rstd.astype(np.float32), y.astype(inputs[0].dtype)]


def add_layer_norm_grad(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Gradients of a layer norm of x1 + x2, given its mean and the inverse of its deviation."""
    dy, x1, x2, rstd, mean, gamma, *rest = (array.astype(np.float64) for array in inputs)
    columns = dy.shape[-1]
    centred = x1 + x2 - mean
    inner = dy * gamma
    d_var = np.sum(-0.5 * inner * centred * rstd**3, axis=-1, keepdims=True)
    # A mean that is one leaves no sum of centred values: the term with it is left out, as the operator does.
    d_mean = np.sum(-inner * rstd, axis=-1, keepdims=True)
    dx = inner * rstd + 2 * d_var * centred / columns + d_mean / columns
    if rest:
        dx = dx + rest[0]
    rows = tuple(range(dy.ndim - 1))
    gradients = (np.sum(dy * centred * rstd, axis=rows), np.sum(dy, axis=rows))
    return [dx.astype(inputs[0].dtype), *(array.astype(np.float32) for array in gradients)]


def add_rms_norm_quant(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """The RMS norm of x1 + x2 over scales1 plus zero_points1, before it is rounded to int8."""
    x1, x2, gamma, scales, zeros = inputs
    total = wide(x1) + wide(x2)
    x = total.astype(x1.dtype)
    # float16 sums are rounded before they are normalised, bfloat16 sums only by the kernel for a row a core.
    total = wide(x) if x1.dtype == np.float16 or x.size <= CORES * x.shape[-1] else total
    mean = np.mean(total * total, axis=-1, keepdims=True, dtype=np.float32)
    y = total / np.sqrt(mean + np.float32(attrs["epsilon"])) * wide(gamma)
    return [quantised(y / wide(scales) + wide(zeros)), np.zeros(x.shape, np.int8), x]


def group_norm_swish(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Each group of channels normalised, scaled and shifted by channel; y = v sigmoid(scale v) of that."""
    x, gamma, beta = (array.astype(np.float64) for array in inputs)
    groups = attrs["num_groups"]
    grouped = np.reshape(x, (x.shape[0], groups, -1))
    mean = grouped.mean(axis=-1)
    rstd = 1 / np.sqrt(grouped.var(axis=-1) + attrs["eps"])
    normal = np.reshape((grouped - mean[..., None]) * rstd[..., None], x.shape)
    channels = (1, -1, *(1 for _ in x.shape[2:]))
    y = normal * np.reshape(gamma, channels) + np.reshape(beta, channels)
    y = y * sigmoid(attrs["swish_scale"] * y)
    return [y.astype(inputs[0].dtype), mean.astype(inputs[1].dtype), rstd.astype(inputs[1].dtype)]
