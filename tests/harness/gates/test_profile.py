"""When is something faster? Against cases with a known answer and against simulated noise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ascendopt.harness.evaluation import CaseResult
from ascendopt.harness.gates.profile import measured_gain, modelled_gain, noise_floor


def case(name: str, samples: list[float], base: list[float] | None = None) -> CaseResult:
    return CaseResult(name, latency_us=samples[0], samples_us=tuple(samples), base_samples_us=tuple(base or ()))


def test_speedup_is_the_weighted_geometric_mean_of_ratios() -> None:
    # ratios 4 (weight 1) and 1 (weight 3): 4^(1/4) = sqrt(2)
    base = [case("a", [8.0, 8.0]), case("b", [5.0, 5.0])]
    new = [case("b", [5.0, 5.0]), case("a", [2.0, 2.0])]
    gain = modelled_gain(base, new, {"a": 1.0, "b": 3.0})
    assert gain.speedup == pytest.approx(math.sqrt(2), abs=1e-6)
    assert gain.interval == pytest.approx((math.sqrt(2), math.sqrt(2)), abs=1e-6)
    assert gain.faster


def test_sets_are_compared_with_their_own_counterpart() -> None:
    # Both sides vary by a factor of 10 over the sets, the ratio never: the interval has no width.
    times = np.geomspace(1, 10, 32)
    gain = modelled_gain([case("a", list(times))], [case("a", list(times / 1.05))], {"a": 1.0})
    assert gain.interval == pytest.approx((1.05, 1.05), abs=1e-6)
    assert gain.faster


def test_a_gain_that_rests_on_a_guess_is_no_gain() -> None:
    # Faster by 10 % at the centre and in 90 % of the sets, not faster in the rest: below 95 %.
    base = [10.0] * 100
    new = [10 / 1.1] * 90 + [10.0] * 10
    gain = modelled_gain([case("a", base)], [case("a", new)], {"a": 1.0})
    assert gain.share == pytest.approx(0.9)
    assert gain.speedup == pytest.approx(1.1, abs=1e-6)
    assert not gain.faster
    assert modelled_gain([case("a", base)], [case("a", [10 / 1.1] * 96 + [10.0] * 4)], {"a": 1.0}).faster


def test_less_than_the_margin_is_not_faster() -> None:
    assert not modelled_gain([case("a", [10.0] * 8)], [case("a", [10 / 1.02] * 8)], {"a": 1.0}).faster


def test_a_case_without_a_counterpart_is_refused() -> None:
    with pytest.raises(ValueError, match="no matching times"):
        modelled_gain([case("a", [1.0])], [], {"a": 1.0})


def simulated(ratio: float, noise: float, seed: int) -> tuple[list[CaseResult], list[CaseResult]]:
    """A/A pairs and pairs with a true speed-up, log-normal noise on each measurement."""
    rng = np.random.default_rng(seed)

    def measure(us: float) -> list[float]:
        return list(us * np.exp(rng.normal(0, noise, 9)))

    same = [case("a", measure(10.0), measure(10.0))]
    return same, [case("a", measure(10.0 / ratio), measure(10.0))]


def wins(ratio: float, runs: int = 100) -> int:
    count = 0
    for seed in range(runs):
        same, pairs = simulated(ratio, 0.02, seed)
        rng = np.random.default_rng(seed)
        floor = noise_floor(same, {"a": 1.0}, rng)
        count += measured_gain(pairs, {"a": 1.0}, floor, rng).faster
    return count


def test_noise_alone_rarely_wins_and_a_real_gain_mostly_does() -> None:
    # 2 % noise, 9 pairs. A false winner must clear a 97.5 % bound and a floor above 0: below 2.5 % expected.
    assert wins(1.0) <= 3
    # The median of 9 pairs has a deviation of about 1.25 * 2 % * sqrt(2) / 3 = 1.2 %; 15 % is far outside.
    assert wins(1.15) >= 95
