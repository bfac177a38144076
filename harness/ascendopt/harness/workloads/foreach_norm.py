"""ForeachNorm: the p-norm of each tensor of a list, p being 1 or 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import Shape, tensor, tensors

# dtype of the list, dtype of p
_DTYPES = tuple((dtype, p) for dtype in ("float16", "float32", "bfloat16") for p in ("float32", "int64"))
_LISTS: tuple[tuple[str, tuple[Shape, ...], bool], ...] = (
    ("one-tiny", ((7,),), True),
    ("aligned", ((8, 2048), (16, 1024)), True),
    ("mixed", ((16, 1000), (7,), (1, 33), (3, 5, 7)), True),
    ("large", ((512, 1024), (256, 2048)), False),
)

WORKLOAD = Workload(
    cases=tuple(
        Case(
            name=f"{name}-p{order}/{dtype}-{p}",
            # Small values: norms of float16 lists stay inside the type.
            inputs=(
                tensors("x", dtype, shapes, "uniform(-0.05, 0.05)"),
                tensor("scalar", p, (1,), f"constant({order})"),
            ),
            outputs=(tensors("y", dtype, [(1,)] * len(shapes)),),
            correctness_only=checked_only,
        )
        for dtype, p in _DTYPES
        for order in (1, 2)
        for name, shapes, checked_only in _LISTS
    )
)


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """In double precision, rounded once."""
    *tensors_, p = inputs
    order = float(np.reshape(p, -1)[0])
    norms = [np.sum(np.abs(x.astype(np.float64)) ** order) ** (1 / order) for x in tensors_]
    return [np.reshape(norm, (1,)).astype(x.dtype) for norm, x in zip(norms, tensors_, strict=True)]
