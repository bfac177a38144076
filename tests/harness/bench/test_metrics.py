"""Metrics of a method against numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ascendopt.harness.bench.metrics import metrics_of
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


def test_geometric_mean_fast_p_and_curve() -> None:
    found = metrics_of(
        {"a": report(2.0, [1.0, 2.0]), "b": report(1.0, [1.0, 1.0, 1.0, 1.0]), "c": report(1.25, [1.25])}
    )
    assert found.n == 3
    assert found.gm == pytest.approx((2.0 * 1.0 * 1.25) ** (1 / 3))
    # Over 1.0: a and c; over 1.2: a and c; over 1.4 and 1.8: a; over 2.0: none.
    assert found.fast == {1.0: 2 / 3, 1.2: 2 / 3, 1.4: 1 / 3, 1.8: 1 / 3, 2.0: 0}
    assert found.curve[0] == (0, 1.0)
    assert found.curve[1] == (1, pytest.approx(1.25 ** (1 / 3)))
    assert found.curve[2] == (2, pytest.approx((2.0 * 1.25) ** (1 / 3)))
    assert found.curve[4] == (4, pytest.approx(found.gm))


def test_operators_that_a_method_leaves_alone_count_as_unchanged() -> None:
    found = metrics_of({"a": report(2.0, [2.0])}).with_unchanged(["b", "c"])
    assert found.n == 3
    assert found.gm == pytest.approx(2.0 ** (1 / 3))
    assert found.fast[1.0] == pytest.approx(1 / 3)
    assert found.curve[1] == (1, pytest.approx(2.0 ** (1 / 3)))


def test_json_keys_are_the_contract() -> None:
    found = metrics_of({"a": report(2.0, [2.0])}).to_json()
    assert set(found) == {
        *("n", "gm", "fast_1_0", "fast_1_2", "fast_1_4", "fast_1_8", "fast_2_0", "curve", "speedups"),
    }
