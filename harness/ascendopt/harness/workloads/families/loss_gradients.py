"""Gradients of losses over classes and over alignments."""

# numpy's stubs leave functions of arrays of any dtype partly unknown.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ascendopt.harness.workload import Case, TensorSpec, Workload
from ascendopt.harness.workloads.build import tensor
from ascendopt.harness.workloads.numeric import Array

_FLOATS = ("float16", "float32", "bfloat16")
# Rows and classes. The kernel compares targets in whole blocks of 64, whatever the room for those of a core: every one
# of the 48 cores has as many. Fewer classes than 128 (256 of 16 bits) get buffers of no bytes: the tiling rounds down.
_SIZES = (("small", 3072, 256), ("tail", 3072, 333), ("large", 6144, 512))
_ALIGNMENTS = (("tiny", 4, 2, 8, 1), ("example", 12, 4, 16, 5), ("long", 50, 8, 40, 15))


def _cross_entropy_grad(name: str, dtype: str, rows: int, classes: int, reduction: str, weighted: bool) -> Case:
    weight = tensor("weight", "float32", (classes,), "uniform(0.5, 1.5)")
    return Case(
        f"{name}-{reduction}{'-weighted' if weighted else ''}/{dtype}",
        (
            tensor("grad_loss", dtype, (rows,) if reduction == "none" else (1,), "uniform(0.5, 2)"),
            tensor("log_prob", dtype, (rows, classes), "uniform(-4, -1)"),
            tensor("target", "int64", (rows,), f"integers(0, {classes - 1})"),
            weight if weighted else TensorSpec("weight", "float32", ()),
            TensorSpec("grad_zloss", dtype, ()),
            TensorSpec("lse_for_zloss", dtype, ()),
        ),
        (tensor("x_grad", dtype, (rows, classes)),),
        {"reduction": reduction, "ignore_index": -100, "label_smoothing": 0.0},
    )


def _ctc_grad(name: str, dtypes: tuple[str, str], time: int, batch: int, symbols: int, labels: int) -> Case:
    dtype, index = dtypes
    return Case(
        f"{name}/{dtype}-{index}",
        (
            tensor("grad_out", dtype, (batch,), "uniform(0.5, 1)"),
            tensor("log_probs", dtype, (time, batch, symbols), "uniform(-4, -1)"),
            tensor("targets", index, (batch, labels), f"integers(1, {symbols - 1})"),
            tensor("input_lengths", index, (batch,), f"constant({time})"),
            tensor("target_lengths", index, (batch,), f"constant({labels})"),
            tensor("neg_log_likelihood", dtype, (batch,), "uniform(5, 10)"),
            tensor("log_alpha", dtype, (batch, time, 2 * labels + 1), "uniform(-10, -1)"),
        ),
        (tensor("grad", dtype, (time, batch, symbols)),),
        {"blank": 0, "reduction": "mean", "zero_infinity": False},
    )


WORKLOADS: Mapping[str, Workload] = {
    "CrossEntropyLossGrad": Workload(
        tuple(
            _cross_entropy_grad(name, dtype, rows, classes, reduction, weighted)
            for dtype in _FLOATS
            for reduction, weighted in (("mean", False), ("mean", True), ("sum", False), ("none", True))
            for name, rows, classes in _SIZES
        ),
        function="cross_entropy_loss_grad",
    ),
    # Without a reference: its inputs are made up, not those of a loss.
    "CTCLossV3Grad": Workload(
        tuple(
            _ctc_grad(name, (dtype, index), time, batch, symbols, labels)
            for dtype in _FLOATS
            for index in ("int32", "int64")
            for name, time, batch, symbols, labels in _ALIGNMENTS
        ),
        function="",
    ),
}


def cross_entropy_loss_grad(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """(exp(log_prob) - onehot(target)) times each row's share of the gradient."""
    given, log_prob, target, *rest = inputs
    weight = rest[0].astype(np.float64) if rest else np.ones(log_prob.shape[1])
    share = given.astype(np.float64) * weight[target]
    if attrs["reduction"] == "mean":
        share = share / weight[target].sum()
    rows = np.arange(len(target))
    gradient = np.exp(log_prob.astype(np.float64)) * share[:, None]
    gradient[rows, target] -= share
    return [gradient.astype(log_prob.dtype)]
