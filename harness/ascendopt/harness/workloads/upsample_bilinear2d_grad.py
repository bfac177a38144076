"""UpsampleBilinear2dGrad: the gradient of bilinear interpolation, two products with sparse weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import tensor

_SIZES = (
    ("double", (1, 4, 16, 16), (32, 32), False),
    ("odd", (2, 3, 15, 20), (33, 47), False),
    ("corners", (1, 8, 24, 40), (48, 100), True),
    ("large", (2, 16, 64, 64), (128, 128), False),
)


def _case(name: str, inner: tuple[int, ...], outer: tuple[int, ...], corners: bool, dtype: str) -> Case:
    return Case(
        name=f"{name}/{dtype}",
        inputs=(tensor("grad_output", dtype, (*inner[:2], *outer)),),
        outputs=(tensor("grad_input", dtype, inner),),
        attrs={
            "output_size": outer,
            "input_size": inner,
            "align_corners": corners,
            "scales_h": 0.0,
            "scales_w": 0.0,
        },
        correctness_only=name != "large",
    )


WORKLOAD = Workload(cases=tuple(_case(*size, dtype) for dtype in ("float32", "float16") for size in _SIZES))


def _weights(inner: int, outer: int, corners: bool) -> NDArray[np.float64]:
    """Row i: what output position i takes of each input position."""
    at = np.arange(outer, dtype=np.float64)
    where = at * (inner - 1) / max(outer - 1, 1) if corners else np.maximum((at + 0.5) * inner / outer - 0.5, 0)
    low = np.minimum(np.floor(where).astype(int), inner - 1)
    share = where - low
    out = np.zeros((outer, inner))
    rows = np.arange(outer)
    np.add.at(out, (rows, low), 1 - share)
    np.add.at(out, (rows, np.minimum(low + 1, inner - 1)), share)
    return out


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """Both transposed interpolations in double precision."""
    height, width = attrs["input_size"][2:]
    corners = bool(attrs["align_corners"])
    grad = inputs[0].astype(np.float64)
    down = _weights(height, grad.shape[2], corners)
    across = _weights(width, grad.shape[3], corners)
    return [np.einsum("oh,ncop,pw->nchw", down, grad, across).astype(inputs[0].dtype)]
