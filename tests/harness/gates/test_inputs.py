"""Inputs: the documented distributions, and independence of order."""

from __future__ import annotations

import numpy as np
import pytest
from harness.fake_device import toy_case

from ascendopt.harness.gates.inputs import EXTREME, make_inputs
from ascendopt.harness.workload import Case, TensorSpec


def one(distribution: str, dtype: str = "float32", shape: tuple[int, ...] = (20_000,)) -> np.ndarray:
    case = Case("c", (TensorSpec("x", dtype, (shape,), distribution=distribution),), ())
    return make_inputs(case, 3)[0]


@pytest.mark.parametrize(
    ("distribution", "mean", "deviation", "low", "high"),
    [
        ("normal", 0.0, 1.0, -6, 6),
        ("normal(5, 0.5)", 5.0, 0.5, 2, 8),
        ("uniform(-2, 4)", 1.0, 6 / np.sqrt(12), -2, 4),
        ("positive", 5.005, 9.99 / np.sqrt(12), 0.01, 10),
        ("integers(0, 9)", 4.5, np.sqrt(99 / 12), 0, 9),
        ("constant(2.5)", 2.5, 0.0, 2.5, 2.5),
        ("zeros", 0.0, 0.0, 0, 0),
        ("ones", 1.0, 0.0, 1, 1),
    ],
)
def test_moments_and_ranges(distribution: str, mean: float, deviation: float, low: float, high: float) -> None:
    values = one(distribution).astype(np.float64)
    assert values.mean() == pytest.approx(mean, abs=0.07)
    assert values.std() == pytest.approx(deviation, abs=0.07)
    assert low <= values.min() and values.max() <= high


def test_integers_are_drawn_from_minus_100_to_100_ends_included() -> None:
    values = one("normal", "int8")
    assert (values.min(), values.max()) == (-100, 100)


def test_a_case_gives_the_same_inputs_whatever_ran_before() -> None:
    first, second = toy_case("a", (100,)), toy_case("b", (100,))
    make_inputs(second, 1)
    assert np.array_equal(make_inputs(first, 1)[0], make_inputs(first, 1)[0])
    assert not np.array_equal(make_inputs(first, 1)[0], make_inputs(first, 2)[0])
    assert not np.array_equal(make_inputs(first, 1)[0], make_inputs(second, 1)[0])


def test_lists_are_flattened_and_absent_inputs_left_out() -> None:
    specs = (
        TensorSpec("x", "float16", ((2, 3), (4,)), is_list=True),
        TensorSpec("bias", "float32", ()),
        TensorSpec("z", "bfloat16", ((5,),)),
    )
    arrays = make_inputs(Case("c", specs, ()), 0)
    assert [(a.shape, a.dtype.name) for a in arrays] == [
        ((2, 3), "float16"),
        ((4,), "float16"),
        ((5,), "bfloat16"),
    ]


def test_boundary_inputs_stay_in_the_declared_range_and_hold_its_ends() -> None:
    case = Case("c", (TensorSpec("x", "float32", ((1000,),), distribution="uniform(0.5, 2)"),), ())
    values = make_inputs(case, 0, EXTREME)[0]
    assert (values == 0.5).sum() > 50 and (values == 2).sum() > 50
    assert values.min() >= 0.5 and values.max() <= 2


def test_values_that_are_said_are_what_comes() -> None:
    assert one("values(3, 1, 2)", "int32", (2, 2)).tolist() == [[3, 1], [2, 3]]
    assert one("range(5, -2)", "int64", (3,)).tolist() == [5, 3, 1]
    rising = one("sorted(0, 50)", "int32", (300,))
    assert (np.diff(rising) >= 0).all() and rising.min() >= 0 and rising.max() <= 50


def test_special_values_are_a_quarter() -> None:
    values = one("special")
    assert 0.2 < 1 - np.isfinite(values).mean() < 0.3
    assert np.isnan(values).any() and np.isposinf(values).any() and np.isneginf(values).any()


def test_some_inputs_are_those_of_all() -> None:
    case = Case("some", tuple(TensorSpec(name, "float32", ((3,),)) for name in ("a", "b", "c")), ())
    _, b, c = make_inputs(case, 5)
    assert np.array_equal(make_inputs(case, 5, names={"b", "c"}), [b, c])
