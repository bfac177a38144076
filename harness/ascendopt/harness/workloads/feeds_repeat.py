"""FeedsRepeat: row i of ``feeds`` repeated ``feeds_repeat_times[i]`` times, then rows of zeros up to
``output_feeds_size`` rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import Shape, tensor

# name, shape of feeds, repeat times of its rows in turn, rows of the output, checked only
_SIZES: tuple[tuple[str, Shape, tuple[int, ...], int, bool], ...] = (
    ("example", (2, 3), (100, 200), 500, True),
    ("tiny", (3, 16), (0, 1, 2), 4, True),
    ("tail", (37, 101), (3, 0, 5), 200, True),
    ("large", (64, 1024), (7, 9, 0, 12), 512, False),
)

WORKLOAD = Workload(
    cases=tuple(
        Case(
            name=f"{name}/{dtype}-{counts}",
            inputs=(
                tensor("feeds", dtype, shape),
                tensor("feeds_repeat_times", counts, shape[:1], f"values({', '.join(map(str, times))})"),
            ),
            outputs=(tensor("y", dtype, (rows, *shape[1:])),),
            attrs={"output_feeds_size": rows},
            correctness_only=checked_only,
        )
        for dtype in ("float16", "float32", "bfloat16")
        for counts in ("int32", "int64")
        for name, shape, times, rows, checked_only in _SIZES
    )
)


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """Rows are copied: nothing is computed."""
    feeds, times = inputs
    y = np.zeros((attrs["output_feeds_size"], *feeds.shape[1:]), dtype=feeds.dtype)
    repeated = np.repeat(feeds, times, axis=0)
    y[: len(repeated)] = repeated
    return [y]
