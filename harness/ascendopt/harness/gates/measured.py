"""Gate 3 on a measuring device: pairs, their interval, and the noise floor.

Original and candidate are measured in turn, the order within a pair drawn at random (as many of each), so that neither
a drift nor a periodic disturbance favours one side. The interval is a bootstrap over pairs of the median log ratio. The
noise floor comes from pairs of the original with itself, in several rounds; a champion is measured in as many rounds,
with new pairs of the original with itself between them: what the machine does now counts, not what it did at the start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.devices.base import Timing
from ascendopt.harness.evaluation import TIME_DIGITS, CaseResult
from ascendopt.harness.gates.profile import RATIO_DIGITS, Gain, gain_of

BOOTSTRAPS = 1000
ROUNDS = 3

# Measures one program once.
Measure = Callable[[], Timing]


@dataclass(frozen=True)
class Pairs:
    """Times of two programs in microseconds, pair by pair in the order of measuring; ``timing`` is the last of the
    second one."""

    first_us: tuple[float, ...]
    second_us: tuple[float, ...]
    timing: Timing

    def __add__(self, other: Pairs) -> Pairs:
        return Pairs(self.first_us + other.first_us, self.second_us + other.second_us, other.timing)

    @property
    def logs(self) -> NDArray[np.float64]:
        """Logarithms of first / second, pair by pair."""
        return np.log(np.asarray(self.first_us) / np.asarray(self.second_us))


def interleave(first: Measure, second: Measure, pairs: int, rng: np.random.Generator) -> Pairs:
    """Measure two programs in turn; ``pairs`` is at least 1. Which comes first is drawn, for half of the pairs each."""
    timings: tuple[list[Timing], list[Timing]] = ([], [])
    for swapped in rng.permutation(np.arange(pairs) % 2 == rng.integers(2)):
        for which in (1, 0) if swapped else (0, 1):
            timings[which].append((first, second)[which]())
    return Pairs(_medians(timings[0]), _medians(timings[1]), timings[1][-1])


def original_rounds(original: Measure, pairs: int, rng: np.random.Generator) -> Pairs:
    """The original with itself, ``ROUNDS`` times ``pairs``: what the noise floor is made from."""
    found = interleave(original, original, pairs, rng)
    for _ in range(ROUNDS - 1):
        found += interleave(original, original, pairs, rng)
    return found


def champion_rounds(original: Measure, candidate: Measure, pairs: int, rng: np.random.Generator) -> tuple[Pairs, Pairs]:
    """Original with candidate and original with itself, ``ROUNDS`` times ``pairs`` each, round after round."""
    both = interleave(original, candidate, pairs, rng)
    same = interleave(original, original, pairs, rng)
    for _ in range(ROUNDS - 1):
        both += interleave(original, candidate, pairs, rng)
        same += interleave(original, original, pairs, rng)
    return both, same


def measured_gain(
    cases: Sequence[CaseResult], weights: Mapping[str, float], floor: float, rng: np.random.Generator
) -> Gain:
    """Compare the pairs of each case; faster when the whole interval clears ``1 + floor``. Raises ValueError without
    a timed case."""
    logs = {case.name: _logs(case) for case in cases if case.base_samples_us}
    centre, draws = _bootstrap(logs, weights, rng)
    ratios: NDArray[np.float64] = np.exp(draws)
    gain = gain_of(float(np.exp(centre)), ratios, False, float(np.mean(ratios > 1.0 + floor)))
    return Gain(gain.speedup, gain.interval, gain.interval[0] > 1.0 + floor, gain.share)


def noise_floor(
    pairs: Mapping[str, NDArray[np.float64]],
    weights: Mapping[str, float],
    rng: np.random.Generator,
) -> float:
    """How far apart the original is from itself.

    ``pairs`` are log ratios of the original with itself by case, ``ROUNDS`` rounds of equal length. The floor is the
    largest deviation from 1 of the interval over all pairs, or of the centre of one round: noise that comes and goes
    more slowly than a round shows there.
    """
    _, draws = _bootstrap(pairs, weights, rng)
    rounds = np.zeros(ROUNDS)
    share = sum(weights[name] for name in pairs)
    for name, logs in pairs.items():
        rounds += weights[name] / share * np.median(np.array(np.array_split(logs, ROUNDS)), axis=1)
    deviations = [*np.percentile(draws, (2.5, 97.5)), *rounds]
    return round(float(np.max(np.expm1(np.abs(deviations)))), RATIO_DIGITS)


def _bootstrap(
    logs: Mapping[str, NDArray[np.float64]], weights: Mapping[str, float], rng: np.random.Generator
) -> tuple[float, NDArray[np.float64]]:
    """Weighted mean over the cases of the median log ratio, and the same of each resampling of the pairs."""
    if not logs:
        raise ValueError("no case was timed")
    total = sum(weights[name] for name in logs)
    draws = np.zeros(BOOTSTRAPS)
    centre = 0.0
    for name, pairs in logs.items():
        picks = rng.integers(0, pairs.size, size=(BOOTSTRAPS, pairs.size))
        draws += weights[name] / total * np.median(pairs[picks], axis=1)
        centre += weights[name] / total * float(np.median(pairs))
    return centre, draws


def _logs(case: CaseResult) -> NDArray[np.float64]:
    return np.log(np.asarray(case.base_samples_us) / np.asarray(case.samples_us))


def _medians(timings: Sequence[Timing]) -> tuple[float, ...]:
    """The median of the repetitions of each measurement."""
    samples = (timing.samples_us or (timing.latency_us,) for timing in timings)
    return tuple(round(float(s[0] if len(s) == 1 else np.median(s)), TIME_DIGITS) for s in samples)
