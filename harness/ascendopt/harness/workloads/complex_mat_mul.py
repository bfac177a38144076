"""ComplexMatMul: z = x @ y + bias over batches of complex matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import tensor


def _case(name: str, batch: tuple[int, ...], m: int, k: int, n: int, *, timed: bool = False) -> Case:
    return Case(
        name=name,
        inputs=(
            tensor("x", "complex64", (*batch, m, k)),
            tensor("y", "complex64", (*batch, k, n)),
            tensor("bias", "complex64", (*batch, m, n)),
        ),
        outputs=(tensor("z", "complex64", (*batch, m, n)),),
        correctness_only=not timed,
    )


WORKLOAD = Workload(
    cases=(
        _case("aligned", (), 128, 128, 128),
        _case("tail", (), 96, 192, 320),
        _case("batch", (3,), 64, 64, 192),
        _case("large", (2,), 512, 512, 512, timed=True),
    )
)


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """The product in double precision, rounded once."""
    x, y, bias = (array.astype(np.complex128) for array in inputs)
    return [(x @ y + bias).astype(np.complex64)]
