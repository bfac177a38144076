"""AddCustom: z = x + y in float32, float16, int32 and int8."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Workload
from ascendopt.harness.workloads.build import elementwise

# Sums of int8 stay inside the type: what happens beyond is the kernel's own affair.
_INT8 = "integers(-60, 60)"

WORKLOAD = Workload(
    cases=(
        *elementwise({"x": "normal", "y": "normal"}, ["z"], ["float32", "float16", "int32"]),
        *elementwise({"x": _INT8, "y": _INT8}, ["z"], ["int8"]),
    )
)


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """The sum; floats are added in float32 and rounded once."""
    x, y = inputs
    if np.issubdtype(x.dtype, np.integer):
        return [x + y]
    return [(x.astype(np.float32) + y.astype(np.float32)).astype(x.dtype)]
