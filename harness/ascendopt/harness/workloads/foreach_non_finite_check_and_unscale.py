"""ForeachNonFiniteCheckAndUnscale: multiplies gradients in place by ``inv_scale``; ``found_inf`` becomes 1 where one
of them is no finite number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import Shape, tensor, tensors

_LISTS: tuple[tuple[str, tuple[Shape, ...], str, bool], ...] = (
    ("one-tiny", ((7,),), "normal", True),
    ("mixed", ((16, 1000), (7,), (1, 33), (3, 5, 7)), "normal", True),
    ("infinite", ((16, 1000), (33,)), "special", True),
    ("large", ((512, 1024), (256, 2048)), "normal", False),
)

WORKLOAD = Workload(
    cases=tuple(
        Case(
            name=f"{name}/{dtype}",
            inputs=(
                tensors("scaled_grads", dtype, shapes, how),
                tensor("found_inf", "float32", (1,), "zeros"),
                tensor("inv_scale", "float32", (1,), "constant(0.25)"),
            ),
            outputs=(tensors("scaled_grads", dtype, shapes), tensor("found_inf", "float32", (1,))),
            correctness_only=checked_only,
        )
        for dtype in ("float16", "bfloat16", "float32")
        for name, shapes, how, checked_only in _LISTS
    )
)


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """The products in float32, rounded once, and the flag."""
    *gradients, found, factor = inputs
    scale = np.reshape(factor, -1)[0]
    infinite = not all(np.isfinite(x.astype(np.float32)).all() for x in gradients)
    scaled = [(x.astype(np.float32) * scale).astype(x.dtype) for x in gradients]
    return [*scaled, np.ones_like(found) if infinite else found]
