"""Xlogy: y = x1 * ln(x2), and 0 where x1 is 0; shapes broadcast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import Size, elementwise, tensor

_DTYPES = ("float32", "float16")
# Single-core operators: what fills one core for a few hundred microseconds is large enough.
_SIZES = (
    Size("tiny", (7,)),
    Size("aligned", (8, 2048)),
    Size("tail", (100, 333)),
    Size("large", (1024, 1024), checked_only=False),
)

_BROADCAST = tuple(
    Case(
        name=f"broadcast/{dtype}",
        inputs=(tensor("x1", dtype, (16, 64)), tensor("x2", dtype, (1, 1), "positive")),
        outputs=(tensor("y", dtype, (16, 64)),),
        correctness_only=True,
    )
    for dtype in _DTYPES
)

WORKLOAD = Workload(cases=(*elementwise({"x1": "normal", "x2": "positive"}, ["y"], _DTYPES, _SIZES), *_BROADCAST))


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """The product in float32, rounded once; a zero factor wins over an infinite logarithm."""
    x1, x2 = (array.astype(np.float32) for array in inputs)
    with np.errstate(divide="ignore", invalid="ignore"):
        product = x1 * np.log(x2)
    zero = (x1 == 0) & ~np.isnan(x2)
    return [np.where(zero, np.float32(0), product).astype(inputs[0].dtype)]
