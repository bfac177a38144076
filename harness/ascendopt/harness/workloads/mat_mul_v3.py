"""MatMulV3: y = x1 @ x2 + bias, either side stored transposed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import tensor


def _case(name: str, m: int, k: int, n: int, left: bool = False, right: bool = False, *, timed: bool = False) -> Case:
    return Case(
        name=name,
        inputs=(
            tensor("x1", "float16", (k, m) if left else (m, k)),
            tensor("x2", "float16", (n, k) if right else (k, n)),
            tensor("bias", "float32", (n,)),
        ),
        outputs=(tensor("y", "float16", (m, n)),),
        attrs={"transpose_x1": left, "transpose_x2": right, "offset_x": 0, "enable_hf32": False},
        correctness_only=not timed,
    )


WORKLOAD = Workload(
    cases=(
        _case("square", 256, 256, 256),
        _case("tail", 300, 200, 500),
        _case("right", 128, 512, 384, right=True),
        _case("left", 320, 256, 192, left=True),
        _case("large", 1024, 1024, 1024, timed=True),
    )
)


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """The product in single precision of the half values, rounded once."""
    left, right, bias = (np.asarray(array, np.float32) for array in inputs)
    first: NDArray[Any] = np.transpose(left) if attrs["transpose_x1"] else left
    second: NDArray[Any] = np.transpose(right) if attrs["transpose_x2"] else right
    product: NDArray[Any] = first @ second + bias
    return [product.astype(np.float16)]
