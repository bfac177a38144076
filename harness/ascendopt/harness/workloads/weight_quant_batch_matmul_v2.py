"""WeightQuantBatchMatmulV2: y = x @ ((weight + offset) * scale) + bias, the weight in eight bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Case, TensorSpec, Workload
from ascendopt.harness.workloads.build import tensor


def _case(name: str, m: int, k: int, n: int, *, transposed: bool = False, timed: bool = False) -> Case:
    """One scale and one offset a column; the result is not quantised."""
    return Case(
        name=name,
        inputs=(
            tensor("x", "float16", (m, k)),
            tensor("weight", "int8", (n, k) if transposed else (k, n), "uniform(-128, 127)"),
            tensor("antiquant_scale", "float16", (n,), "uniform(0.001, 0.01)"),
            tensor("antiquant_offset", "float16", (n,), "uniform(-8, 8)"),
            TensorSpec("quant_scale", "uint64", ()),
            TensorSpec("quant_offset", "float32", ()),
            tensor("bias", "float16", (n,)),
        ),
        outputs=(tensor("y", "float16", (m, n)),),
        attrs={
            "transpose_x": False,
            "transpose_weight": transposed,
            "antiquant_group_size": 0,
            "dtype": -1,
            "inner_precise": 0,
        },
        correctness_only=not timed,
    )


WORKLOAD = Workload(
    cases=(
        _case("few-rows", 16, 256, 512),
        _case("square", 256, 512, 512),
        _case("transposed", 64, 512, 384, transposed=True),
        _case("large", 512, 1024, 1024, timed=True),
    )
)


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """The weight as the kernel sees it, in half; the product in single precision, rounded once."""
    x, weight, scale, offset = (np.asarray(array, np.float32) for array in inputs[:4])
    bias = np.asarray(inputs[-1], np.float32)
    if attrs["transpose_weight"]:
        weight = np.transpose(weight)
    wide: NDArray[Any] = np.asarray(((weight + offset).astype(np.float16) * scale.astype(np.float16)), np.float32)
    product: NDArray[Any] = x @ wide + bias
    return [product.astype(np.float16)]
