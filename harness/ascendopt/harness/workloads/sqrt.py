"""Sqrt: y = square root of x, for non-negative x."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Workload
from ascendopt.harness.workloads.build import elementwise

WORKLOAD = Workload(cases=elementwise({"x": "positive"}, ["y"], ["float16", "float32", "bfloat16"]))


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """Square root in float32, rounded once."""
    (x,) = inputs
    return [np.sqrt(x.astype(np.float32)).astype(x.dtype)]
