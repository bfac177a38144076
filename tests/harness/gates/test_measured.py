"""Pairs, their interval and the noise floor against numbers worked out by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ascendopt.harness.devices.base import Timing
from ascendopt.harness.evaluation import CaseResult
from ascendopt.harness.gates.measured import champion_rounds, interleave, measured_gain, noise_floor


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def recorder(log: list[str], name: str) -> Callable[[], Timing]:
    def measure() -> Timing:
        log.append(name)
        return Timing(float(len(log)), (float(len(log)),), {}, "", False)

    return measure


@pytest.mark.parametrize("pairs", [8, 9])
def test_each_side_comes_first_in_half_of_the_pairs_in_no_fixed_order(pairs: int) -> None:
    orders: set[str] = set()
    for seed in range(20):
        log: list[str] = []
        found = interleave(recorder(log, "a"), recorder(log, "b"), pairs, generator(seed))
        order = "".join(log)
        firsts = order[::2].count("a")
        assert len(order) == 2 * pairs and firsts in (pairs // 2, -(-pairs // 2))
        orders.add(order)
        # The times are the positions: those of a pair are neighbours, and each stands with its program.
        assert [abs(a - b) for a, b in zip(found.first_us, found.second_us, strict=True)] == [1.0] * pairs
        assert [order[int(at) - 1] for at in found.first_us] == ["a"] * pairs
    assert len(orders) > 10


def test_a_champion_is_measured_in_rounds_with_the_original_between_them() -> None:
    log: list[str] = []
    both, same = champion_rounds(recorder(log, "a"), recorder(log, "b"), 4, generator())
    assert len(both.logs) == len(same.logs) == 12
    # Each round: 4 of each program, then 8 of the original alone.
    for start in range(0, 48, 16):
        assert sorted(log[start : start + 8]) == [*"aaaabbbb"] and log[start + 8 : start + 16] == [*"aaaaaaaa"]


def test_the_gain_is_the_weighted_mean_of_median_ratios() -> None:
    # Medians of the ratios are 2 and 1; weights 3 and 1: 2^(3/4).
    cases = [
        CaseResult("a", samples_us=(1.0, 1.0, 1.0), base_samples_us=(2.0, 2.0, 100.0)),
        CaseResult("b", samples_us=(4.0, 4.0, 4.0), base_samples_us=(4.0, 4.0, 4.0)),
    ]
    gain = measured_gain(cases, {"a": 3.0, "b": 1.0}, 0.0, generator())
    assert gain.speedup == pytest.approx(2**0.75, abs=1e-6)
    # At the least both medians are the smallest; 2 of 3 picks must be the outlier for more: in 7 of 27 resamplings.
    assert gain.interval == pytest.approx((2**0.75, 100**0.75), abs=1e-6)


def test_a_gain_below_the_floor_is_none() -> None:
    case = CaseResult("a", samples_us=(10.0,) * 9, base_samples_us=(10.5,) * 9)
    assert measured_gain([case], {"a": 1.0}, 0.04, generator()).faster
    assert not measured_gain([case], {"a": 1.0}, 0.05, generator()).faster


def test_the_floor_is_the_worst_round_when_noise_is_slower_than_a_round() -> None:
    # One round of three is 10 % off: the median over all pairs is 1, the worst round says 1.1.
    logs = np.log(np.repeat([1.0, 1.1, 1.0], 9))
    assert noise_floor({"a": logs}, {"a": 1.0}, generator()) == pytest.approx(0.1, abs=1e-6)
    # Which of the two is slower must not matter.
    assert noise_floor({"a": -logs}, {"a": 1.0}, generator()) == pytest.approx(0.1, abs=1e-6)
    # Weighted with a quiet case of equal weight, half of the logarithm is left.
    both = {"a": logs, "b": np.zeros(27)}
    assert noise_floor(both, {"a": 1.0, "b": 1.0}, generator()) == pytest.approx(1.1**0.5 - 1, abs=1e-6)
