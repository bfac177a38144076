"""Mmad: c = a @ b + bias for one block of 32 x 32 x 32, the size that the sample fixes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Workload
from ascendopt.harness.workloads.build import products

WORKLOAD = Workload(cases=products((32, 32, 32), ("normal", "uniform(0, 1)", "uniform(-50, 50)")))


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """The product in float64 of the half values, rounded once to float32."""
    a, b, bias = (array.astype(np.float64) for array in inputs)
    return [(a @ b + bias).astype(np.float32)]
