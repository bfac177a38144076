"""Gradients of normalisations over the last dimension, or over groups of channels."""

# numpy's stubs leave functions of arrays of any dtype partly unknown.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import Shape, tensor
from ascendopt.harness.workloads.families.norms import SIZES, Rows
from ascendopt.harness.workloads.numeric import Array, sigmoid

_FLOATS = ("float16", "float32", "bfloat16")
_PAIRS = (
    ("float16", "float32"),
    ("bfloat16", "float32"),
    ("float16", "float16"),
    ("float32", "float32"),
    ("bfloat16", "bfloat16"),
)
_GROUPED: tuple[tuple[str, Shape, int, bool], ...] = (
    ("tiny", (1, 4, 8), 2, True),
    ("tail", (3, 12, 7, 11), 3, True),
    ("large", (4, 64, 32, 32), 8, False),
)


def _rms_grad(size: Rows, dtypes: tuple[str, str]) -> Case:
    x, gamma = dtypes
    return Case(
        f"{size.name}/{x}-{gamma}",
        (
            tensor("dy", x, size.shape),
            tensor("x", x, size.shape),
            tensor("rstd", "float32", size.rows, "uniform(0.5, 1)"),
            tensor("gamma", gamma, (size.columns,), "uniform(0.5, 1.5)"),
        ),
        (tensor("dx", x, size.shape), tensor("dgamma", "float32", (size.columns,))),
        correctness_only=size.checked_only,
    )


def _layer_grad(size: Rows, dtypes: tuple[str, str]) -> Case:
    x, gamma = dtypes
    return Case(
        f"{size.name}/{x}-{gamma}",
        (
            tensor("dy", x, size.shape),
            tensor("x", x, size.shape),
            tensor("rstd", "float32", (*size.rows, 1), "uniform(0.5, 1)"),
            tensor("mean", "float32", (*size.rows, 1), "uniform(-0.1, 0.1)"),
            tensor("gamma", gamma, (size.columns,), "uniform(0.5, 1.5)"),
        ),
        (
            tensor("pd_x", x, size.shape),
            tensor("pd_gamma", "float32", (size.columns,)),
            tensor("pd_beta", "float32", (size.columns,)),
        ),
        correctness_only=size.checked_only,
    )


def _deep_grad(size: Rows, dtype: str) -> Case:
    return Case(
        f"{size.name}/{dtype}",
        (
            *(tensor(name, dtype, size.shape) for name in ("dy", "x", "gx")),
            tensor("gamma", dtype, (size.columns,), "uniform(0.5, 1.5)"),
            tensor("mean", "float32", (*size.rows, 1), "uniform(-0.1, 0.1)"),
            tensor("rstd", "float32", (*size.rows, 1), "uniform(0.5, 1)"),
        ),
        (
            tensor("dx", dtype, size.shape),
            tensor("dgx", dtype, size.shape),
            tensor("dbeta", "float32", (size.columns,)),
            tensor("dgamma", "float32", (size.columns,)),
        ),
        {"alpha": 0.3},
        correctness_only=size.checked_only,
    )


def _group_grad(name: str, dtype: str, shape: Shape, groups: int, checked_only: bool, swish: bool) -> Case:
    channels, statistics = shape[1:2], (shape[0], groups)
    return Case(
        f"{name}/{dtype}",
        (
            tensor("dy", dtype, shape),
            tensor("mean", dtype, statistics, "uniform(-0.1, 0.1)"),
            tensor("rstd", dtype, statistics, "uniform(0.5, 1)"),
            tensor("x", dtype, shape),
            tensor("gamma", dtype, channels, "uniform(0.5, 1.5)"),
            *((tensor("beta", dtype, channels),) if swish else ()),
        ),
        (tensor("dx", dtype, shape), tensor("dgamma", dtype, channels), tensor("dbeta", dtype, channels)),
        {"num_groups": groups, "data_format": "NCHW", **({"swish_scale": 1.0} if swish else {})},
        correctness_only=checked_only,
    )


WORKLOADS: Mapping[str, Workload] = {
    "RmsNormGrad": Workload(
        tuple(_rms_grad(size, dtypes) for dtypes in _PAIRS for size in SIZES), function="rms_norm_grad"
    ),
    "LayerNormGradV3": Workload(
        tuple(_layer_grad(size, dtypes) for dtypes in _PAIRS for size in SIZES), function="layer_norm_grad"
    ),
    "DeepNormGrad": Workload(
        tuple(_deep_grad(size, dtype) for dtype in _FLOATS for size in SIZES), function="deep_norm_grad"
    ),
    "GroupNormGrad": Workload(
        tuple(
            _group_grad(name, dtype, shape, groups, checked_only, swish=False)
            for dtype in _FLOATS
            for name, shape, groups, checked_only in _GROUPED
        ),
        function="group_norm_grad",
    ),
    "GroupNormSwishGrad": Workload(
        tuple(
            _group_grad(name, dtype, shape, groups, checked_only, swish=True)
            for dtype in _FLOATS
            for name, shape, groups, checked_only in _GROUPED
        ),
        function="group_norm_swish_grad",
    ),
}


def _through_layer(inner: Array, normal: Array, rstd: Array) -> Array:
    """The gradient at x of (x - mean(x)) rstd(x) over the last dimension."""
    along = np.mean(inner * normal, axis=-1, keepdims=True)
    return rstd * (inner - np.mean(inner, axis=-1, keepdims=True) - normal * along)


def _column_sums(*terms: Array) -> list[Array]:
    return [np.sum(term, axis=tuple(range(term.ndim - 1))).astype(np.float32) for term in terms]


def rms_norm_grad(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Gradients of x rstd gamma at x and gamma, with the given rstd."""
    dy, x, rstd, gamma = (array.astype(np.float64) for array in inputs)
    rstd = rstd[..., None]
    normal, inner = x * rstd, dy * gamma
    dx = rstd * (inner - normal * np.mean(inner * normal, axis=-1, keepdims=True))
    return [dx.astype(inputs[0].dtype), *_column_sums(dy * normal)]


def layer_norm_grad(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Gradients of a layer norm at x, gamma and beta, with the given mean and rstd."""
    dy, x, rstd, mean, gamma = (array.astype(np.float64) for array in inputs)
    normal = (x - mean) * rstd
    return [_through_layer(dy * gamma, normal, rstd).astype(inputs[0].dtype), *_column_sums(dy * normal, dy)]


def deep_norm_grad(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Gradients of the layer norm of alpha x + gx at x, gx, beta and gamma, with the given mean and rstd."""
    dy, x, gx, gamma, mean, rstd = (array.astype(np.float64) for array in inputs)
    normal = (attrs["alpha"] * x + gx - mean) * rstd
    dgx = _through_layer(dy * gamma, normal, rstd)
    outputs = [array.astype(inputs[0].dtype) for array in (attrs["alpha"] * dgx, dgx)]
    return [*outputs, *_column_sums(dy, dy * normal)]


def _groups(array: Array, groups: int) -> Array:
    return np.reshape(array, (array.shape[0], groups, -1))


def _group_gradients(dy: Array, normal: Array, gamma: Array, rstd: Array, groups: int) -> tuple[Array, Array, Array]:
    """At x, gamma and beta, from the gradient at the scaled and shifted result."""
    channels = (1, -1, *(1 for _ in dy.shape[2:]))
    inner = _groups(dy * np.reshape(gamma, channels), groups)
    dx = np.reshape(_through_layer(inner, _groups(normal, groups), rstd[..., None]), dy.shape)
    rest = (0, *range(2, dy.ndim))
    return dx, np.sum(dy * normal, axis=rest), np.sum(dy, axis=rest)


def group_norm_grad(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Gradients of a group norm at x, gamma and beta, with the given mean and rstd."""
    dy, mean, rstd, x, gamma = (array.astype(np.float64) for array in inputs)
    groups = attrs["num_groups"]
    normal = np.reshape((_groups(x, groups) - mean[..., None]) * rstd[..., None], x.shape)
    return [array.astype(inputs[0].dtype) for array in _group_gradients(dy, normal, gamma, rstd, groups)]


def group_norm_swish_grad(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Gradients of v sigmoid(scale v) of a group norm v at x, gamma and beta."""
    dy, mean, rstd, x, gamma, beta = (array.astype(np.float64) for array in inputs)
    groups = attrs["num_groups"]
    normal = np.reshape((_groups(x, groups) - mean[..., None]) * rstd[..., None], x.shape)
    channels = (1, -1, *(1 for _ in x.shape[2:]))
    y = normal * np.reshape(gamma, channels) + np.reshape(beta, channels)
    gate = sigmoid(attrs["swish_scale"] * y)
    dy = dy * gate * (1 + attrs["swish_scale"] * y * (1 - gate))
    return [array.astype(inputs[0].dtype) for array in _group_gradients(dy, normal, gamma, rstd, groups)]
