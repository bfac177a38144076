"""Operators that fuse a few steps: scaling and normalising, the best of a softmax, a gradient of the divergence."""

# Formulas over arrays of any dtype: numpy's stubs leave their lambdas without types.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import WHOLE_BLOCKS, Shape, elementwise, tensor
from ascendopt.harness.workloads.numeric import Array, rounded, scalar, sigmoid


def _topk() -> Workload:
    # The kernel gives each of 32 cores as many rows, and sorts rows that fill half a block or one.
    shapes = (("small", (256, 16), 4), ("wide", (2048, 32), 6), ("example", (1024, 16), 4))
    return Workload(
        tuple(
            Case(
                f"{name}/float32",
                (tensor("x", "float32", shape),),
                (tensor("y", "float32", (shape[0], k)), tensor("indices", "int32", (shape[0], k))),
                {"k": k},
                correctness_only=name != "example",
            )
            for name, shape, k in shapes
        ),
        function="best_of_softmax",
    )


def _normalised() -> Workload:
    # The kernel knows half precision only, whatever its definition says.
    shapes: tuple[tuple[str, Shape], ...] = (
        ("tiny", (3, 1024)),
        ("example", (90, 1024)),
        ("wide", (90, 2048)),
        ("large", (4096, 1024)),
    )
    cases: list[Case] = []
    for name, shape in shapes:
        inputs = (
            tensor("mul0_input0", "float16", shape, "uniform(0, 1)"),
            tensor("mul0_input1", "float16", shape, "uniform(0, 1)"),
            tensor("mul1_input0", "float16", (1,), "ones"),
            tensor("add_y", "float16", (1,), "ones"),
            tensor("gamma", "float16", (1, shape[1]), "uniform(0, 1)"),
            tensor("beta", "float16", (1, shape[1]), "uniform(0, 1)"),
        )
        outputs = (tensor("output", "float16", shape),)
        cases.append(Case(f"{name}/float16", inputs, outputs, correctness_only=name != "large"))
    return Workload(tuple(cases), function="normalised")


def _scaled_sigmoid() -> Workload:
    # The kernel knows half precision only, whatever its definition says.
    scalars = {"mulscalar1": "constant(1.2)", "mulscalar2": "constant(1.3)", "addscalar3": "constant(1.4)"}
    cases = elementwise({"input": "normal"}, ("outputs",), ("float16",), WHOLE_BLOCKS, scalars=scalars)
    return Workload(cases, function="scaled_sigmoid")


def _divergence() -> Workload:
    inputs = {"grad_output": "uniform(-1, 1)", "self": "uniform(-1, 1)", "target": "uniform(0.1, 1)"}
    cases = [
        case
        for log_target in (False, True)
        for case in elementwise(
            inputs,
            ("grad_target",),
            ("float16", "float32", "bfloat16"),
            WHOLE_BLOCKS,
            {"reduction": 0, "log_target": log_target},
        )
    ]
    return Workload(tuple(_named(case) for case in cases), function="divergence_gradient")


def _named(case: Case) -> Case:
    size, dtype = case.name.split("/")
    name = f"{size}-log/{dtype}" if case.attrs["log_target"] else case.name
    return Case(name, case.inputs, case.outputs, case.attrs, correctness_only=case.correctness_only)


WORKLOADS: Mapping[str, Workload] = {
    "KlDivTargetBackward": _divergence(),
    "MoeSoftMaxTopk": _topk(),
    "MulMulReduceMeanDTwice": _normalised(),
    "MulSigmoidMulAddCustom": _scaled_sigmoid(),
}


def best_of_softmax(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """The largest values of the softmax of each row, falling, and where they lie."""
    (x,) = inputs
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    shares = powers / powers.sum(axis=1, keepdims=True)
    best = np.argsort(-shares, axis=1, kind="stable")[:, : attrs["k"]]
    return [np.take_along_axis(shares, best, axis=1).astype(np.float32), best.astype(np.int32)]


@rounded
def normalised(a: Array, b: Array, c: Array, added: Array, gamma: Array, beta: Array) -> Array:
    """a b c, less its mean in each row and divided by its deviation, times gamma plus beta."""
    product = a * b * scalar(c)
    mean = product.mean(axis=1, keepdims=True)
    variance = ((product - mean) ** 2).mean(axis=1, keepdims=True)
    return (product - mean) / np.sqrt(variance + scalar(added)) * gamma + beta


@rounded
def scaled_sigmoid(x: Array, first: Array, second: Array, third: Array) -> Array:
    """sigmoid(x first) second + third."""
    return sigmoid(x * scalar(first)) * scalar(second) + scalar(third)


@rounded
def divergence_gradient(grad: Array, x: Array, target: Array, reduction: int, log_target: bool) -> Array:
    """The gradient of the Kullback-Leibler divergence by its target."""
    if log_target:
        return grad * (target + 1 - x) * np.exp(target)
    return np.where(target == 0, 0, grad * (np.log(target) + 1 - x))
