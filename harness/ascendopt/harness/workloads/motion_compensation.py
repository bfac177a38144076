"""MotionCompensation: the points of a scan, taken one after the other from a moving sensor, as seen at its end.

The pose between the first and the last timestamp is interpolated: its translation linearly, its rotation on the
sphere. Quaternions are (w, x, y, z).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import tensor

_LAST = 1000
_ATTRS: Mapping[str, int | tuple[float, ...]] = {
    "timestamp_min": 0,
    "timestamp_max": _LAST,
    "translation_min": (0.5, -1.0, 0.25),
    "translation_max": (1.5, 0.5, -0.75),
    "quaterniond_min": (0.98, 0.1, -0.12, 0.08),
    "quaterniond_max": (0.9, -0.2, 0.3, 0.15),
}


def _case(name: str, points: int, correctness_only: bool = True) -> Case:
    return Case(
        name=name,
        inputs=(
            tensor("points", "float32", (4, points)),
            tensor("timestamp", "uint64", (points,), "integers(0, 1000)"),
        ),
        outputs=(tensor("out", "float32", (4, points)),),
        attrs=dict(_ATTRS),
        correctness_only=correctness_only,
    )


WORKLOAD = Workload(cases=(_case("small", 1024), _case("middle", 8192), _case("large", 1 << 17, False)))


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """Each point turned and moved by its share of the motion, in double precision; the fourth row is copied."""
    points, stamps = inputs[0].astype(np.float64), inputs[1].astype(np.float64)
    first, last = (_unit(attrs[f"quaterniond_{end}"]) for end in ("min", "max"))
    back = last * np.array([1.0, -1.0, -1.0, -1.0])
    moved = np.subtract(attrs["translation_min"], attrs["translation_max"])
    motion = _turn(back[:, None], moved[:, None])
    turn = _product(back, first)
    turn = turn * np.sign(turn[0])
    angle = np.arccos(min(turn[0], 1.0))
    share = (attrs["timestamp_max"] - stamps) / (attrs["timestamp_max"] - attrs["timestamp_min"])
    identity = np.array([1.0, 0.0, 0.0, 0.0])[:, None]
    between = (np.sin((1 - share) * angle) * identity + np.sin(share * angle) * turn[:, None]) / np.sin(angle)
    out = np.array(points)
    out[:3] = _turn(between, points[:3]) + share * motion
    return [out.astype(np.float32)]


def _unit(values: Sequence[float]) -> NDArray[np.float64]:
    array = np.asarray(values, np.float64)
    return array / np.linalg.norm(array)


def _product(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Hamilton's product."""
    scalar = left[0] * right[0] - left[1:] @ right[1:]
    vector = left[0] * right[1:] + right[0] * left[1:] + np.cross(left[1:], right[1:])
    return np.concatenate([[scalar], vector])


def _turn(quaternions: NDArray[np.float64], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Vectors (3, n) turned by unit quaternions (4, n or 1)."""
    axis = np.broadcast_to(quaternions[1:], vectors.shape)
    twice = 2 * np.cross(axis, vectors, axis=0)
    return vectors + quaternions[0] * twice + np.cross(axis, twice, axis=0)
