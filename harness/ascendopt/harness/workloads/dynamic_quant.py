"""DynamicQuant: each row over its scale, the largest absolute value over 127 (7 for int4), rounded.

Computed step by step in float32, as integers are compared exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Case, TensorSpec, Workload
from ascendopt.harness.workloads.build import Shape, tensor

# The numbers of the graph engine's data types.
_INT8, _INT4 = 2, 29


@dataclass(frozen=True)
class _Size:
    name: str
    shape: Shape
    smooth: bool = False
    checked_only: bool = True


_SIZES = (
    _Size("tiny", (3, 16)),
    _Size("smooth", (37, 256), smooth=True),
    _Size("tail", (37, 334)),
    _Size("large", (512, 1024), checked_only=False),
)


def _case(size: _Size, x: str, y: str) -> Case:
    scales = TensorSpec("smooth_scales", x, ())
    if size.smooth:
        scales = tensor("smooth_scales", x, size.shape[-1:], "uniform(0.5, 1.5)")
    return Case(
        name=f"{size.name}/{x}-{y}",
        inputs=(tensor("x", x, size.shape), scales, TensorSpec("group_index", "int32", ())),
        outputs=(tensor("y", y, size.shape), tensor("scale", "float32", size.shape[:-1])),
        attrs={"dst_type": _INT8 if y == "int8" else _INT4},
        correctness_only=size.checked_only,
    )


WORKLOAD = Workload(
    cases=tuple(_case(size, x, y) for y in ("int8", "int4") for x in ("float16", "bfloat16") for size in _SIZES)
)


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """y and the scales."""
    x = inputs[0].astype(np.float32)
    if len(inputs) > 1:
        x = x * inputs[1].astype(np.float32)
    most = np.float32(127 if attrs["dst_type"] == _INT8 else 7)
    largest = np.max(np.abs(x), axis=-1)
    y = np.rint(x * (most / largest)[..., None])
    target: Any = np.int8 if attrs["dst_type"] == _INT8 else ml_dtypes.int4
    return [y.astype(target), (largest / most).astype(np.float32)]
