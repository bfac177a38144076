"""When is something faster on the model device? Against cases with a known answer."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ascendopt.harness.evaluation import CaseResult
from ascendopt.harness.gates.profile import modelled_gain


def case(name: str, samples: list[float]) -> CaseResult:
    return CaseResult(name, latency_us=samples[0], samples_us=tuple(samples))


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
