"""Metrics of a method against numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ascendopt.harness.bench.metrics import MethodMetrics, comparisons, metrics_of
from ascendopt.harness.bench.uncertainty import Resampling
from ascendopt.harness.evaluation import Evaluation, State
from ascendopt.harness.report.model import EpisodeReport, TrialRow


def trial(attempt: int | None, best: float) -> TrialRow:
    return TrialRow(1, attempt, "ok", "test", "", "", None, None, best)


def report(speedup: float, bests: list[float], budget: int = 4) -> EpisodeReport:
    best = Evaluation(State.OK, (), speedup=speedup) if speedup > 1 else None
    trials = (trial(None, 1.0), *(trial(n, value) for n, value in enumerate(bests, 1)))
    empty = EpisodeReport(
        *("op", "model", True, "", "chip", "m", budget, 0, 0.03, None, None, None, None, (), (), trials, "", ""),
        *(len(bests), len(bests), 0, True, ()),
    )
    return replace(empty, best=best)


def drawn(operators: int, seeds: int = 1) -> Resampling:
    return Resampling.drawn(operators, seeds, np.random.default_rng(5))


def method(values: list[list[float]]) -> MethodMetrics:
    """Metrics of a method with the given speed-ups, a row an operator, a column a seed."""
    runs = {f"op{row:02}": [report(value, [value]) for value in seeds] for row, seeds in enumerate(values)}
    return metrics_of(runs, 4, drawn(len(values), len(values[0])))


def test_geometric_mean_fast_p_and_curve() -> None:
    reports = {"a": report(2.0, [1.0, 2.0]), "b": report(1.0, [1.0, 1.0, 1.0, 1.0]), "c": report(1.25, [1.25])}
    found = metrics_of({name: [one] for name, one in reports.items()}, 4, drawn(3))
    assert (found.n, found.seeds) == (3, 1)
    assert found.gm == pytest.approx((2.0 * 1.0 * 1.25) ** (1 / 3))
    # Over 1.0: a and c; over 1.2: a and c; over 1.4 and 1.8: a; over 2.0: none.
    assert found.fast == {1.0: 2 / 3, 1.2: 2 / 3, 1.4: 1 / 3, 1.8: 1 / 3, 2.0: 0}
    assert found.curve[0] == (0, 1.0)
    assert found.curve[1] == (1, pytest.approx(1.25 ** (1 / 3)))
    assert found.curve[2] == (2, pytest.approx((2.0 * 1.25) ** (1 / 3)))
    assert found.curve[4] == (4, pytest.approx(found.gm))


def test_a_champion_that_is_slower_when_measured_again_ends_the_curve() -> None:
    found = metrics_of({"a": [report(1.5, [2.0])]}, 4, drawn(1))
    assert found.curve[3][1] == pytest.approx(2.0)
    assert found.curve[4][1] == pytest.approx(1.5) == found.gm


def test_operators_that_a_method_leaves_alone_count_as_unchanged() -> None:
    found = metrics_of({"a": [report(2.0, [2.0])]}, 4, drawn(3), ["b", "c"])
    assert found.n == 3
    assert found.gm == pytest.approx(2.0 ** (1 / 3))
    assert found.fast[1.0] == pytest.approx(1 / 3)
    assert found.curve[1] == (1, pytest.approx(2.0 ** (1 / 3)))


def test_seeds_count_as_runs_of_their_operator() -> None:
    found = method([[4.0, 1.0], [2.0, 2.0]])
    assert (found.n, found.seeds) == (2, 2)
    assert found.speedups == pytest.approx({"op00": 2.0, "op01": 2.0})
    assert found.gm == pytest.approx(2.0)
    # Three of four runs are over 1.0, one over 2.0.
    assert (found.fast[1.0], found.fast[2.0]) == (0.75, 0.25)


def test_without_spread_the_interval_has_no_width() -> None:
    found = method([[2.0, 2.0]] * 3)
    assert found.interval == pytest.approx((2.0, 2.0))
    assert found.band[-1] == pytest.approx((2.0, 2.0))


def test_one_operator_with_two_seeds_by_hand() -> None:
    # A draw has both seeds twice, or each once: means 1, 2 (= sqrt(4)) and 4 with shares 1/4, 1/2, 1/4.
    assert method([[4.0, 1.0]]).interval == pytest.approx((1.0, 4.0))


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(11)
    hits = 0
    for _ in range(200):
        operators = rng.normal(0.2, 0.2, (25, 1))
        logs = operators + rng.normal(0.0, 0.05, (25, 5))
        low, high = Resampling.drawn(25, 5, rng, 400).geometric(logs)
        hits += low <= np.exp(0.2) <= high
    # 95 % of 200 are 190; by the binomial, fewer than 178 has a probability below 0.1 %.
    assert hits >= 178


def test_methods_are_compared_run_by_run() -> None:
    # Operators differ by a factor of 10, the methods by 5 % on each: paired, that is certain.
    levels = np.geomspace(1.1, 11.0, 10)
    slow, fast = method([[v, v] for v in levels]), method([[1.05 * v, 1.05 * v] for v in levels])
    (found,) = comparisons({"fast": fast, "slow": slow}, drawn(10, 2))
    assert (found.method, found.other) == ("fast", "slow")
    assert found.ratio == pytest.approx(1.05)
    assert found.interval == pytest.approx((1.05, 1.05))
    assert (found.better, found.equal, found.worse, found.verdict) == (10, 0, 0, "better")
    (back,) = comparisons({"slow": slow, "fast": fast}, drawn(10, 2))
    assert (back.ratio, back.verdict, back.worse) == (pytest.approx(1 / 1.05), "worse", 10)


def test_a_difference_that_one_operator_makes_is_undecided() -> None:
    one = method([[1.5], *([[1.2]] * 9)])
    other = method([[1.2]] * 10)
    (found,) = comparisons({"one": one, "other": other}, drawn(10))
    assert (found.better, found.equal, found.worse) == (1, 9, 0)
    assert found.ratio == pytest.approx(1.25 ** (1 / 10))
    assert found.verdict == "undecided"


def test_json_keys_are_the_contract() -> None:
    found = method([[2.0, 1.5]]).to_json()
    assert set(found) == {
        *("n", "gm", "fast_1_0", "fast_1_2", "fast_1_4", "fast_1_8", "fast_2_0", "curve", "speedups"),
        *("seeds", "interval", "curve_interval", "runs"),
    }
    assert found["runs"] == {"op00": [2.0, 1.5]}
