"""The parameter sets that every trace is timed under, as the native server draws them.

``native/sim/parameters.cpp`` scales each constant by 1 + uncertainty x deviate(seed, sample, name), held between a
quarter and four times. The same deviates are computed here, so that a gain over the sets can be traced to constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

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


def deviate(seed: int, sample: int, name: str) -> float:
    """A nearly normal deviate of variance 1: twelve uniforms, less six."""
    state = _mix(seed + _GOLDEN) ^ _mix(sample * 0xD1342543DE82EF95 + 1) ^ _hash(name)
    total = 0.0
    for _ in range(6):
        state = (state + _GOLDEN) & _MASK
        bits = _mix(state)
        total += (bits & 0xFFFFFFFF) * 2.0**-32 + (bits >> 32) * 2.0**-32
    return total - 6.0


def _mix(x: int) -> int:
    x &= _MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return x ^ (x >> 31)


def _hash(name: str) -> int:
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = ((value ^ byte) * 0x100000001B3) & _MASK
    return _mix(value)
