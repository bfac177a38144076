"""ForeachAddList: y[i] = x1[i] + alpha * x2[i] for two tensor lists; alpha is a one-element tensor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import Shape, tensor, tensors

# Tensor dtype -> dtype of alpha: bfloat16 lists take a float32 factor.
_ALPHA = {"float16": "float16", "float32": "float32", "int32": "int32", "bfloat16": "float32"}
_LISTS: tuple[tuple[str, tuple[Shape, ...], bool], ...] = (
    ("one-tiny", ((7,),), True),
    ("aligned", ((8, 2048), (16, 1024)), True),
    ("mixed", ((16, 1000), (7,), (1, 33), (3, 5, 7)), True),
    ("large", ((2048, 2048), (1024, 4096), (4096, 1024)), False),
)

WORKLOAD = Workload(
    cases=tuple(
        Case(
            name=f"{name}/{dtype}",
            inputs=(
                tensors("x1", dtype, shapes),
                tensors("x2", dtype, shapes),
                tensor("alpha", alpha, (1,), "integers(2, 9)" if dtype == "int32" else "uniform(0.5, 2)"),
            ),
            outputs=(tensors("y", dtype, shapes),),
            correctness_only=checked_only,
        )
        for dtype, alpha in _ALPHA.items()
        for name, shapes, checked_only in _LISTS
    )
)


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """Integers exactly, floats in float32 and rounded once."""
    count = (len(inputs) - 1) // 2
    alpha = np.reshape(inputs[-1], -1)[0]
    outputs: list[NDArray[Any]] = []
    for x1, x2 in zip(inputs[:count], inputs[count : 2 * count], strict=True):
        if np.issubdtype(x1.dtype, np.integer):
            outputs.append(x1 + alpha * x2)
        else:
            scaled = x2.astype(np.float32) * np.float32(alpha)
            outputs.append((x1.astype(np.float32) + scaled).astype(x1.dtype))
    return outputs
