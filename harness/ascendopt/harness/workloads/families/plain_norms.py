"""Normalisations of one tensor: layer, instance, group and batch."""

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

_PAIRS = (
    ("float32", "float32"),
    ("float16", "float32"),
    ("float16", "float16"),
    ("bfloat16", "float32"),
    ("bfloat16", "bfloat16"),
)
_IMAGES: tuple[tuple[str, Shape, bool], ...] = (
    ("small", (2, 16, 4, 8), True),
    ("tail", (3, 20, 7, 11), True),
    ("large", (8, 64, 32, 32), False),
)


def _layer(size: Rows, dtypes: tuple[str, str]) -> Case:
    x, gamma = dtypes
    return Case(
        f"{size.name}/{x}-{gamma}",
        (
            tensor("x", x, size.shape),
            tensor("normalized_shape", "int32", (1,), f"constant({size.columns})"),
            tensor("gamma", gamma, (size.columns,), "uniform(0.5, 1.5)"),
            tensor("beta", gamma, (size.columns,)),
        ),
        (
            tensor("y", x, size.shape),
            tensor("mean", "float32", (*size.rows, 1)),
            tensor("rstd", "float32", (*size.rows, 1)),
        ),
        {"epsilon": 1e-5},
        correctness_only=size.checked_only,
    )


def _instance(name: str, dtype: str, shape: Shape, checked_only: bool) -> Case:
    channels, statistics = shape[1:2], (*shape[:2], 1, 1)
    return Case(
        f"{name}/{dtype}",
        (
            tensor("x", dtype, shape),
            tensor("gamma", dtype, channels, "uniform(0.5, 1.5)"),
            tensor("beta", dtype, channels),
        ),
        (tensor("y", dtype, shape), tensor("mean", dtype, statistics), tensor("variance", dtype, statistics)),
        {"data_format": "NCHW", "epsilon": 1e-6},
        correctness_only=checked_only,
    )


def _group(name: str, dtypes: tuple[str, str], shape: Shape, checked_only: bool) -> Case:
    x, gamma = dtypes
    statistics = (shape[0], 4)
    return Case(
        f"{name}/{x}-{gamma}",
        (
            tensor("x", x, shape),
            tensor("gamma", gamma, shape[1:2], "uniform(0.5, 1.5)"),
            tensor("beta", gamma, shape[1:2]),
        ),
        (tensor("y", x, shape), tensor("mean", x, statistics), tensor("rstd", x, statistics)),
        {"num_groups": 4, "eps": 1e-5, "activate_silu": True},
        correctness_only=checked_only,
    )


def _batch(name: str, dtypes: tuple[str, str], shape: Shape, checked_only: bool) -> Case:
    x, weight = dtypes
    channels = shape[1:2]
    return Case(
        f"{name}/{x}-{weight}",
        (
            tensor("x", x, shape),
            tensor("weight", weight, channels, "uniform(0.5, 1.5)"),
            tensor("bias", weight, channels),
            tensor("running_mean", "float32", channels),
            tensor("running_var", "float32", channels, "uniform(0.5, 1.5)"),
        ),
        (
            tensor("y", x, shape),
            *(
                tensor(output, "float32", channels)
                for output in ("running_mean", "running_var", "save_mean", "save_rstd")
            ),
        ),
        {"epsilon": 1e-5, "momentum": 0.1, "is_training": True},
        correctness_only=checked_only,
    )


WORKLOADS: Mapping[str, Workload] = {
    "LayerNormV4": Workload(tuple(_layer(size, dtypes) for dtypes in _PAIRS for size in SIZES), function="layer_norm"),
    "InstanceNormV3": Workload(
        tuple(_instance(name, dtype, shape, only) for dtype in ("float16", "float32") for name, shape, only in _IMAGES),
        function="instance_norm",
        soc="Ascend310P3",
    ),
    "GroupNormSilu": Workload(
        tuple(_group(name, dtypes, shape, only) for dtypes in _PAIRS for name, shape, only in _IMAGES),
        function="group_norm_silu",
    ),
    "BatchNormV3": Workload(
        tuple(_batch(name, dtypes, shape, only) for dtypes in _PAIRS for name, shape, only in _IMAGES),
        function="batch_norm",
    ),
}


def layer_norm(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Over the last dimension, with its mean and the inverse of its deviation."""
    x, gamma, beta = (inputs[index].astype(np.float64) for index in (0, 2, 3))
    mean = x.mean(axis=-1, keepdims=True)
    rstd = 1 / np.sqrt(x.var(axis=-1, keepdims=True) + attrs["epsilon"])
    y = (x - mean) * rstd * gamma + beta
    return [y.astype(inputs[0].dtype), mean.astype(np.float32), rstd.astype(np.float32)]


def _by_channel(array: Array, dims: int) -> Array:
    return np.reshape(array, (1, -1, *(1 for _ in range(dims - 2))))


def instance_norm(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Over the image of each channel, with its mean and variance."""
    x, gamma, beta = (array.astype(np.float64) for array in inputs)
    mean, variance = x.mean(axis=(2, 3), keepdims=True), x.var(axis=(2, 3), keepdims=True)
    normal = (x - mean) / np.sqrt(variance + attrs["epsilon"])
    y = normal * _by_channel(gamma, x.ndim) + _by_channel(beta, x.ndim)
    return [array.astype(inputs[0].dtype) for array in (y, mean, variance)]


def group_norm_silu(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """v sigmoid(v) of each group of channels normalised, scaled and shifted by channel."""
    x, gamma, beta = (array.astype(np.float64) for array in inputs)
    grouped = np.reshape(x, (x.shape[0], attrs["num_groups"], -1))
    mean = grouped.mean(axis=-1)
    rstd = 1 / np.sqrt(grouped.var(axis=-1) + attrs["eps"])
    normal = np.reshape((grouped - mean[..., None]) * rstd[..., None], x.shape)
    y = normal * _by_channel(gamma, x.ndim) + _by_channel(beta, x.ndim)
    y = y * sigmoid(y)
    return [array.astype(inputs[0].dtype) for array in (y, mean, rstd)]


def batch_norm(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Each channel over batch and image; running statistics move by ``momentum``, their variance unbiased.

    The last output is called after the inverse of the deviation, but is the variance.
    """
    x, weight, bias, running_mean, running_var = (array.astype(np.float64) for array in inputs)
    axes = (0, *range(2, x.ndim))
    mean, variance = x.mean(axis=axes), x.var(axis=axes)
    rstd = 1 / np.sqrt(variance + attrs["epsilon"])
    normal = (x - _by_channel(mean, x.ndim)) * _by_channel(rstd, x.ndim)
    y = normal * _by_channel(weight, x.ndim) + _by_channel(bias, x.ndim)
    count, momentum = x.size / x.shape[1], attrs["momentum"]
    new_mean = (1 - momentum) * running_mean + momentum * mean
    new_var = (1 - momentum) * running_var + momentum * variance * count / (count - 1)
    return [y.astype(inputs[0].dtype), *(array.astype(np.float32) for array in (new_mean, new_var, mean, variance))]
