"""The parameter sets that every trace is timed under, as the native server draws them.

``native/sim/parameters.cpp`` scales each constant by 1 + uncertainty x deviate(seed, sample, name), held between a
quarter and four times. The same deviates are computed here, so that a gain over the sets can be traced to constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.devices.model.calibration import load_constants

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_VECTOR_PARTS = ("per_repeat", "extra", "offset", "minimum")


def ensemble_record(timing: Path, samples: int, seed: int) -> dict[str, Any]:
    """What a journal keeps of the sets: ``{"samples", "seed", "constants": {name: [uncertainty, source]}}``."""
    entries = _entries(load_constants(timing))
    uncertain = {name: [entry["uncertainty"], entry["source"]] for name, entry in entries if entry["uncertainty"] > 0}
    return {"samples": samples, "seed": seed, "constants": uncertain}


def _entries(data: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield from sorted(data["constants"].items())
    for op, widths in sorted(data["vector"].items()):
        for width, cost in sorted(widths.items()):
            for part in _VECTOR_PARTS:
                if part in cost:
                    yield f"vector.{op}.{width}.{part}", cost[part]


def deviates(seed: int, samples: int, names: Sequence[str]) -> NDArray[np.float64]:
    """Of each name in each sample, (names, samples): nearly normal with variance 1, twelve uniforms less six."""
    counter = np.arange(samples, dtype=np.uint64) * np.uint64(0xD1342543DE82EF95) + np.uint64(1)
    hashes = np.array([_hash(name) for name in names], dtype=np.uint64)
    start = _mix(np.array([(seed + _GOLDEN) & _MASK], dtype=np.uint64))
    state = start ^ _mix(counter)[np.newaxis, :] ^ hashes[:, np.newaxis]
    total = np.zeros(state.shape)
    for _ in range(6):
        state = state + np.uint64(_GOLDEN)
        bits = _mix(state)
        total += (bits & np.uint64(0xFFFFFFFF)) * 2.0**-32 + (bits >> np.uint64(32)) * 2.0**-32
    return total - 6.0


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Arithmetic on arrays of 64 bits wraps around, as the server's does."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _hash(name: str) -> int:
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = ((value ^ byte) * 0x100000001B3) & _MASK
    return int(_mix(np.array([value], dtype=np.uint64))[0])
