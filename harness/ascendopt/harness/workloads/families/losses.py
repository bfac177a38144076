"""Losses and their gradients, and sums over rows."""

# Formulas over arrays of any dtype: numpy's stubs leave their lambdas without types.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import MODERATE, WHOLE_BLOCKS, Shape, Size, tensor
from ascendopt.harness.workloads.numeric import Array, plain, rounded, sigmoid

_FLOATS = ("float16", "float32", "bfloat16")


def _mse_loss() -> Workload:
    cases = [
        Case(
            f"{size.name}-{reduction}/{dtype}",
            (tensor("input", dtype, size.shape), tensor("target", dtype, size.shape)),
            (tensor("output", dtype, size.shape if reduction == "none" else (1,)),),
            {"reduction": reduction},
            correctness_only=size.checked_only,
        )
        for dtype in _FLOATS
        for reduction in ("none", "mean", "sum")
        for size in MODERATE
    ]
    return Workload(tuple(cases), function="mse_loss")


def _mse_loss_grad(dtypes: Sequence[str], sizes: Sequence[Size] = MODERATE) -> Workload:
    cases = [
        Case(
            f"{size.name}-{reduction}/{dtype}",
            tuple(tensor(name, dtype, size.shape) for name in ("predict", "label", "dout")),
            (tensor("y", dtype, size.shape),),
            {"reduction": reduction},
            correctness_only=size.checked_only,
        )
        for dtype in dtypes
        for reduction in ("mean", "sum")
        # The mean's factor 2 / n falls below float16 for a million elements.
        for size in sizes[: 3 if reduction == "mean" else 4]
    ]
    return Workload(tuple(cases), function="mse_loss_grad")


def _mul_sigmoid() -> Workload:
    rows = (("tiny", 1), ("tail", 7), ("example", 25))
    cases = [
        Case(
            f"{name}/float16",
            (tensor("x1", "float16", (count, 32 * 1024)), tensor("x2", "float16", (1, 256, 128))),
            (tensor("out", "float16", (count, 256, 128)),),
            {"t1": 0.3, "t2": 0.1, "t3": 0.8},
            correctness_only=name != "example",
        )
        for name, count in rows
    ]
    return Workload(tuple(cases), function="mul_sigmoid")


def _sigmoid_sum() -> Workload:
    sizes: tuple[tuple[str, Shape], ...] = (("tiny", (1, 64, 32)), ("tail", (7, 64, 32)), ("example", (40, 64, 32)))
    cases: list[Case] = []
    for name, shape in sizes:
        batch, rows, columns = shape
        inputs = (
            tensor("add_0_input0", "float16", shape, "uniform(-0.2, 0.2)"),
            tensor("add_0_input1", "float16", (1, 1, columns), "uniform(-0.2, 0.2)"),
            tensor("mul_0_input1", "float16", (1,), "constant(-0.1)"),
            tensor("mult_1_input1", "float16", (batch, rows, 1), "uniform(0.05, 0.2)"),
            tensor("mult_2_input1", "float16", shape, "uniform(0.05, 0.2)"),
        )
        outputs = (tensor("out", "float16", (batch, columns)),)
        cases.append(Case(f"{name}/float16", inputs, outputs, correctness_only=name != "example"))
    return Workload(tuple(cases), function="add_sigmoid_mul_reduce_sum")


WORKLOADS: Mapping[str, Workload] = {
    "AddSigmoidMulReduceSumD": _sigmoid_sum(),
    "MSELossV2": _mse_loss(),
    "MseLossGradV1": _mse_loss_grad(("float16", "float32"), WHOLE_BLOCKS),
    "MseLossGradV2": _mse_loss_grad(_FLOATS),
    "MulSigmoid": _mul_sigmoid(),
}


def mse_loss(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """The squared differences, or their mean or sum."""
    x, target = (array.astype(np.float64) for array in inputs)
    squares = (x - target) ** 2
    if attrs["reduction"] != "none":
        squares = np.reshape(squares.mean() if attrs["reduction"] == "mean" else squares.sum(), (1,))
    return [squares.astype(inputs[0].dtype)]


@rounded
def mse_loss_grad(predict: Array, label: Array, dout: Array, reduction: str) -> Array:
    """2 (predict - label) dout, over the number of elements when the loss was their mean."""
    factor = 2.0 / predict.size if reduction == "mean" else 2.0
    return (predict - label) * np.float32(factor) * dout


@rounded
def mul_sigmoid(x1: Array, x2: Array, t1: float, t2: float, t3: float) -> Array:
    """sigmoid(t1 x1), doubled where it is not below t2, times x2 and t3."""
    gate = sigmoid(np.float32(t1) * x1)
    chosen = np.where(gate < np.float32(t2), gate, 2 * gate)
    return np.reshape(chosen * np.reshape(x2, (1, -1)) * np.float32(t3), (x1.shape[0], *x2.shape[1:]))


@plain
def add_sigmoid_mul_reduce_sum(a: Array, b: Array, c: Array, d: Array, e: Array) -> Array:
    """sigmoid((a + b) c) d e, summed over the rows one after the other, every step in the dtype of the inputs.

    Sixty sums in half precision differ from the exact one by about what the dtype allows.
    """
    products = sigmoid((a + b) * c) * d * e
    total = products[:, 0]
    for row in range(1, products.shape[1]):
        total = total + products[:, row]
    return total
