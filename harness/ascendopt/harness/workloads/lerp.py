"""Lerp: y = start + weight * (end - start), all of one shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Workload
from ascendopt.harness.workloads.build import elementwise

WORKLOAD = Workload(
    cases=elementwise(
        {"start": "normal", "end": "normal", "weight": "uniform(0, 1)"},
        ["y"],
        ["float32", "float16", "bfloat16"],
    )
)


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """The interpolation in float32, rounded once."""
    start, end, weight = (array.astype(np.float32) for array in inputs)
    return [(start + weight * (end - start)).astype(inputs[0].dtype)]
