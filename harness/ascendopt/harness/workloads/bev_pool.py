"""BevPool: products of depths and features, added up in the cells of a grid that each point names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import tensor
from ascendopt.harness.workloads.numeric import Array

# name, depth (batch, cameras, depths, rows, columns), grid (batch, z, y, x, channels), points
_CASES = (
    ("tiny", (1, 1, 2, 3, 4), (1, 2, 3, 4, 5), 6),
    ("example", (2, 4, 6, 8, 10), (2, 4, 6, 8, 12), 20),
    ("points", (2, 2, 5, 7, 11), (2, 3, 5, 7, 16), 512),
)


def _cases() -> tuple[Case, ...]:
    cases: list[Case] = []
    for dtype in ("float32", "float16"):
        for name, depth, grid, points in _CASES:
            feat = (*depth[:2], *depth[3:], grid[-1])
            pillars = points // 2
            inputs = (
                tensor("depth", dtype, depth, "uniform(0.1, 1)"),
                tensor("feat", dtype, feat, "uniform(0.1, 1)"),
                tensor("ranks_depth", "int32", (points,), f"integers(0, {int(np.prod(depth)) - 1})"),
                tensor("ranks_feat", "int32", (points,), f"integers(0, {int(np.prod(feat)) - 1})"),
                tensor("ranks_bev", "int32", (points,), f"integers(0, {int(np.prod(grid)) - 1})"),
                # Every pillar has two points.
                tensor("interval_starts", "int32", (pillars,), "range(0, 2)"),
                tensor("interval_lengths", "int32", (pillars,), "constant(2)"),
            )
            out = (grid[0], grid[4], *grid[1:4])
            cases.append(
                Case(
                    f"{name}/{dtype}",
                    inputs,
                    (tensor("out", dtype, out),),
                    {"bev_feat_shape": grid},
                    correctness_only=name != "points",
                )
            )
    return tuple(cases)


WORKLOAD = Workload(_cases())


def reference(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """The products of the points of all pillars in the grid, channels first."""
    depth, feat, ranks_depth, ranks_feat, ranks_bev, starts, lengths = inputs
    grid = np.zeros(tuple(attrs["bev_feat_shape"]), depth.dtype)
    cells = np.reshape(grid, -1)
    for start, length in zip(starts, lengths, strict=True):
        for point in range(start, start + length):
            product = np.reshape(depth, -1)[ranks_depth[point]] * np.reshape(feat, -1)[ranks_feat[point]]
            cells[ranks_bev[point]] += product
    return [np.ascontiguousarray(np.transpose(grid, (0, 4, 1, 2, 3)))]
