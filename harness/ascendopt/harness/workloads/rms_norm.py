"""RmsNorm: y = x * rstd * gamma with rstd = 1 / sqrt(mean(x^2) + epsilon) over gamma's dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import Shape, tensor

# dtype of x and y, dtype of gamma
_DTYPES = (
    ("float16", "float32"),
    ("bfloat16", "float32"),
    ("float16", "float16"),
    ("float32", "float32"),
    ("bfloat16", "bfloat16"),
)
# name, rows, normalised dimensions, checked only. Columns up to 2000, above, and above one core's buffer
# make the operator choose different kernels.
_SIZES: tuple[tuple[str, Shape, Shape, bool], ...] = (
    ("tiny", (1,), (16,), True),
    ("aligned", (64,), (256,), True),
    ("tail", (37,), (333,), True),
    ("two-dims", (5, 3), (8, 40), True),
    ("wide", (16,), (4096,), True),
    ("split", (3,), (20000,), True),
    ("large", (2048,), (2048,), False),
    ("large-merged", (8192,), (512,), False),
)


def _case(name: str, rows: Shape, columns: Shape, dtype: str, gamma: str, checked_only: bool) -> Case:
    shape = (*rows, *columns)
    return Case(
        name=f"{name}/{dtype}-{gamma}",
        inputs=(tensor("x", dtype, shape), tensor("gamma", gamma, columns, "uniform(0.5, 1.5)")),
        outputs=(
            tensor("y", dtype, shape),
            tensor("rstd", "float32", (*rows, *(1 for _ in columns))),
        ),
        attrs={"epsilon": 1e-6},
        correctness_only=checked_only,
    )


WORKLOAD = Workload(
    cases=tuple(
        _case(name, rows, columns, dtype, gamma, checked_only)
        for dtype, gamma in _DTYPES
        for name, rows, columns, checked_only in _SIZES
    )
)


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """Both outputs in float32; y is rounded once to the dtype of x."""
    x, gamma = inputs
    wide = x.astype(np.float32)
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    mean = np.mean(wide * wide, axis=axes, keepdims=True)
    rstd = 1 / np.sqrt(mean + np.float32(attrs.get("epsilon", 1e-6)))
    return [(wide * rstd * gamma.astype(np.float32)).astype(x.dtype), rstd.astype(np.float32)]
