"""ForeachExp: the exponential of each tensor of a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import Shape, tensors

_DTYPES = ("float16", "float32", "bfloat16")
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
            # Results stay far inside float16.
            inputs=(tensors("x", dtype, shapes, "uniform(-5, 5)"),),
            outputs=(tensors("y", dtype, shapes),),
            correctness_only=checked_only,
        )
        for dtype in _DTYPES
        for name, shapes, checked_only in _LISTS
    )
)


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """The exponential in float32, rounded once."""
    with np.errstate(over="ignore"):
        return [np.exp(x.astype(np.float32)).astype(x.dtype) for x in inputs]
