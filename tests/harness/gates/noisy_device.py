"""A measuring device with a known truth: every time is the true one times e to the power of injected noise.

The noise is a series over the measurements of a session, whatever is measured, so that what lasts longer than one
measurement hits neighbours alike. A program is ``op_host/toy.cpp`` with ``constexpr int SPEED = n``: n thousandths of
the speed of the original. Values are right: what is tested is the profile gate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.devices.base import (
    BuildOptions,
    Built,
    Capabilities,
    Device,
    Profile,
    RunResult,
    TilingResult,
    Timing,
)
from ascendopt.harness.workload import Case

Series = NDArray[np.float64]
# A generator and the number of measurements -> the logarithm of the disturbance of each.
Noise = Callable[[np.random.Generator, int], Series]

SOURCE = "op_host/toy.cpp"
TRUE_US = 50.0
TILING = TilingResult({}, b"", 0, 8, 0)


def program(speed: float) -> Candidate:
    """A candidate that is ``speed`` times as fast as the original."""
    return Candidate({SOURCE: f"constexpr int SPEED = {round(speed * 1000)};\n"}, "test")


def heavy_tails(rng: np.random.Generator, count: int) -> Series:
    """1 % of normal noise; every twelfth measurement is longer by a Pareto tail of index 1.5."""
    tail = np.log1p(0.2 * rng.pareto(1.5, count))
    return rng.normal(0.0, 0.01, count) + np.where(rng.random(count) < 1 / 12, tail, 0.0)


def drift(rng: np.random.Generator, count: int) -> Series:
    """A line of up to tens of percent over the session (temperature) and a random walk of 0.4 % a step."""
    line = np.linspace(0.0, rng.normal(0.0, 0.15), count)
    return line + np.cumsum(rng.normal(0.0, 0.004, count)) + rng.normal(0.0, 0.01, count)


def bursts(rng: np.random.Generator, count: int) -> Series:
    """A neighbour that takes a quarter of the device for 15 measurements on average, after 35 quiet ones."""
    busy = _alternating(rng, count, 35.0, 15.0)
    return 0.25 * busy + rng.normal(0.0, 0.01, count) * (1.0 + 2.0 * busy)


def bimodal_clock(rng: np.random.Generator, count: int) -> Series:
    """Two clock rates 12 % apart, held for 2 to 20 measurements, and little else."""
    dwell = rng.choice([2.0, 5.0, 20.0])
    return 0.12 * _alternating(rng, count, dwell, dwell) + rng.normal(0.0, 0.004, count)


def resonance(rng: np.random.Generator, count: int) -> Series:
    """5 % in every third and fourth of four measurements: a fixed alternation of the sides would be in step with it.

    It begins after the baseline, so that the noise floor of the start does not know it.
    """
    wave = (np.arange(count) + rng.integers(4)) % 4 >= 2
    return np.where(np.arange(count) < 60, 0.0, 0.05 * wave) + rng.normal(0.0, 0.004, count)


def loud(rng: np.random.Generator, count: int) -> Series:
    """3 % of independent normal noise."""
    return rng.normal(0.0, 0.03, count)


KINDS: Mapping[str, Noise] = {
    noise.__name__: noise for noise in (heavy_tails, drift, bursts, bimodal_clock, resonance, loud)
}


def _alternating(rng: np.random.Generator, count: int, quiet: float, busy: float) -> Series:
    """0 and 1 in turn, each for a geometric number of measurements with the given means."""
    means = np.tile([quiet, busy], count)
    lengths = rng.geometric(1.0 / means)
    state = np.repeat(np.arange(means.size) % 2, lengths)
    start = int(rng.integers(0, 100))
    return state[start : start + count].astype(np.float64)


class NoisyDevice(Device):
    """Measures with the noise of one session, ``count`` measurements long. ``measured`` counts them."""

    def __init__(self, noise: Noise, rng: np.random.Generator, count: int = 400) -> None:
        self._series: Iterator[float] = iter(np.exp(noise(rng, count)).tolist())
        self.measured = 0

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities("noisy", "Ascend910B2", False, "none")

    def build(self, operator: Path, options: BuildOptions) -> Built:
        found = re.search(r"SPEED = (\d+)", (operator / SOURCE).read_text())
        assert found is not None
        return _NoisyBuilt(self, TRUE_US * 1000 / int(found[1]))

    def measure(self, true_us: float) -> float:
        """One measurement of a program whose true time is ``true_us``."""
        self.measured += 1
        return true_us * next(self._series)


class _NoisyBuilt(Built):
    def __init__(self, device: NoisyDevice, true_us: float) -> None:
        self._device = device
        self._true_us = true_us

    def tile(self, case: Case) -> TilingResult:
        return TILING

    def run(self, case: Case, inputs: Sequence[NDArray[Any]], *, timing: bool = True) -> RunResult:
        return RunResult([array * 2 for array in inputs], (), 0, None, tiling=TILING)

    def profile(self, case: Case) -> Profile:
        time = self._device.measure(self._true_us)
        return Profile(Timing(time, (time,), {}, "", False), TILING, 0)
