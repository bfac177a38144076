"""SwiGlu: x is cut into halves a and b along ``dim``; y = silu(a) * b with silu(a) = a / (1 + exp(-a))."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import Shape, tensor

_DTYPES = ("float16", "float32", "bfloat16")
_SIZES: tuple[tuple[str, Shape, int, bool], ...] = (
    ("tiny", (1, 32), -1, True),
    ("aligned", (64, 1024), -1, True),
    ("tail", (37, 202), -1, True),
    ("rows", (6, 8, 128), 1, True),
    ("large", (4096, 4096), -1, False),
)


def _halved(shape: Shape, dim: int) -> Shape:
    at = dim % len(shape)
    return (*shape[:at], shape[at] // 2, *shape[at + 1 :])


WORKLOAD = Workload(
    cases=tuple(
        Case(
            name=f"{name}/{dtype}",
            inputs=(tensor("x", dtype, shape),),
            outputs=(tensor("y", dtype, _halved(shape, dim)),),
            attrs={"dim": dim},
            correctness_only=checked_only,
        )
        for dtype in _DTYPES
        for name, shape, dim, checked_only in _SIZES
    )
)


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """In float32, rounded once."""
    (x,) = inputs
    a, b = np.split(x.astype(np.float32), 2, axis=attrs.get("dim", -1))
    with np.errstate(over="ignore"):
        return [(a / (1 + np.exp(-a)) * b).astype(x.dtype)]
