"""MatmulApiConstant: c = a @ b + bias for 1024 x 640 x 256, the shape that the sample fixes in its kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Workload
from ascendopt.harness.workloads.build import products

WORKLOAD = Workload(cases=products((1024, 640, 256), ("normal", "uniform(0, 1)", "uniform(-8, 8)")))


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """The product in float64 of the half values, rounded once to float32."""
    a, b, bias = (array.astype(np.float64) for array in inputs)
    return [(a @ b + bias).astype(np.float32)]
