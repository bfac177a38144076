"""CrossEntropyLoss: the weighted negative logarithm of the probability of each row's target, and all
log-probabilities. The outputs for the z-loss are left undefined by the operator (documented as not supported)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Case, TensorSpec, Workload
from ascendopt.harness.workloads.build import tensor

# name, rows, classes, checked only
_SIZES = (("tiny", 3, 7, True), ("tail", 37, 333, True), ("wide", 5, 20000, True), ("large", 512, 1024, False))


def _case(name: str, dtype: str, rows: int, classes: int, reduction: str, weighted: bool) -> Case:
    weight = tensor("weight", "float32", (classes,), "uniform(0.5, 1.5)")
    loss = (rows,) if reduction == "none" else (1,)
    return Case(
        name=f"{name}-{reduction}{'-weighted' if weighted else ''}/{dtype}",
        inputs=(
            tensor("input", dtype, (rows, classes)),
            tensor("target", "int64", (rows,), f"integers(0, {classes - 1})"),
            weight if weighted else TensorSpec("weight", "float32", ()),
        ),
        outputs=(
            tensor("loss", dtype, loss),
            tensor("log_prob", dtype, (rows, classes)),
            replace(tensor("zloss", dtype, loss), checked=False),
            replace(tensor("lse_for_zloss", dtype, (rows,)), checked=False),
        ),
        attrs={"reduction": reduction, "ignore_index": -100, "label_smoothing": 0.0},
    )


WORKLOAD = Workload(
    cases=tuple(
        replace(_case(name, dtype, rows, classes, reduction, weighted), correctness_only=checked_only)
        for dtype in ("float16", "float32", "bfloat16")
        for reduction, weighted in (("mean", False), ("mean", True), ("sum", False), ("none", True))
        for name, rows, classes, checked_only in _SIZES
    )
)


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """In double precision, rounded once."""
    given, target, *rest = inputs
    x = given.astype(np.float64)
    weight = rest[0].astype(np.float64) if rest else np.ones(x.shape[1])
    top = x.max(axis=1, keepdims=True)
    log_prob = x - top - np.log(np.exp(x - top).sum(axis=1, keepdims=True))
    weights = np.where(target == attrs["ignore_index"], 0, weight[target])
    losses = -log_prob[np.arange(len(x)), target] * weights
    if attrs["reduction"] == "mean":
        losses = np.reshape(losses.sum() / weights.sum(), (1,))
    elif attrs["reduction"] == "sum":
        losses = np.reshape(losses.sum(), (1,))
    undefined = [np.zeros(losses.shape), np.zeros(len(x))]
    return [array.astype(given.dtype) for array in (losses, log_prob, *undefined)]
