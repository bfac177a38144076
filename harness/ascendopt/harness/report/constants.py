"""Which constants of the timing model a gain rests on, from its spread over the parameter sets.

In each set every uncertain constant has its own deviate. The constant whose deviates go best with the logarithm of the
gain is taken out, then the next, as long as the match is better than chance among so many constants would give.
"""

# numpy's linear algebra is typed too loosely for strict mode.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.devices.model.ensemble import deviates

# Chance of naming a constant that has nothing to do with the gain: a wrong name is worse than none.
CHANCE = 0.005
MOST = 5
_NO_SPREAD = 1e-6


@dataclass(frozen=True)
class RestsOn:
    """A constant, its relative uncertainty and where its value comes from (published, fitted, guess).

    ``share`` is the part of the variance of the gain's logarithm over the sets that it adds to what the constants
    before it explain; ``change`` is by how much the gain changes, relatively, when the constant is larger by its
    uncertainty.
    """

    name: str
    uncertainty: float
    source: str
    share: float
    change: float


@dataclass(frozen=True)
class Basis:
    """What a gain rests on. ``spread`` is its relative standard deviation over the sets; ``rest`` the part of the
    variance that no single constant accounts for."""

    spread: float
    constants: tuple[RestsOn, ...]
    rest: float


def basis_of(ratios: Sequence[float], ensemble: Mapping[str, Any]) -> Basis | None:
    """``ratios`` is the gain in each set, in their order; ``ensemble`` as ``Device.ensemble`` has it.

    None when the sets are not those of the ensemble.
    """
    samples, seed = int(ensemble["samples"]), int(ensemble["seed"])
    constants: Mapping[str, Any] = ensemble["constants"]
    if len(ratios) != samples or samples < 4:
        return None
    gain = np.log(np.asarray(ratios))
    spread = float(gain.std())
    if spread < _NO_SPREAD or not constants:
        return Basis(spread, (), 0.0)
    names = list(constants)
    drawn = deviates(seed, samples, names)
    drawn -= drawn.mean(axis=1, keepdims=True)
    needed = np.array([_needed(name, names, samples) for name in names])
    chosen, shares, slopes = _pursue(gain - gain.mean(), drawn, needed)
    found = [
        RestsOn(names[index], *_described(constants[names[index]]), share, float(np.expm1(slope)))
        for index, share, slope in zip(chosen, shares, slopes, strict=True)
    ]
    return Basis(spread, tuple(found), max(0.0, 1.0 - sum(shares)))


def _described(constant: Sequence[Any]) -> tuple[float, str]:
    uncertainty, source = constant
    return float(uncertainty), str(source)


def _needed(name: str, names: Sequence[str], samples: int) -> float:
    """The correlation that chance reaches in CHANCE of the cases among all constants of the same kind.

    Costs of vector instructions are many, and most are of instructions that a kernel does not use: each kind is
    tested for itself. Fisher's transformation of the correlation.
    """
    kind = sum(other.startswith("vector.") == name.startswith("vector.") for other in names)
    quantile = NormalDist().inv_cdf(1.0 - CHANCE / (4.0 * kind))
    return float(np.tanh(quantile / np.sqrt(samples - 3)))


def _pursue(
    gain: NDArray[np.float64], drawn: NDArray[np.float64], needed: NDArray[np.float64]
) -> tuple[list[int], list[float], list[float]]:
    """Indices of the constants, what each adds to the explained share, and the slopes of them all together."""
    chosen: list[int] = []
    explained: list[float] = [0.0]
    slopes: NDArray[np.float64] = np.zeros(0)
    rest = gain
    lengths = np.linalg.norm(drawn, axis=1)
    while len(chosen) < MOST and np.linalg.norm(rest) > 1e-3 * np.linalg.norm(gain):
        match = np.abs(drawn @ rest) / lengths / np.linalg.norm(rest)
        best = int(np.argmax(match / needed))
        if match[best] < needed[best]:
            break
        chosen.append(best)
        slopes = np.linalg.lstsq(drawn[chosen].T, gain, rcond=None)[0]
        rest = gain - drawn[chosen].T @ slopes
        explained.append(1.0 - float(rest @ rest) / float(gain @ gain))
    shares = [after - before for before, after in pairwise(explained)]
    return chosen, shares, [float(slope) for slope in slopes]
