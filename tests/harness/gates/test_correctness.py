"""Gate 2 against numbers worked out by hand."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from harness.fake_device import toy_case

from ascendopt.harness.dtypes import DTYPES
from ascendopt.harness.gates.correctness import compare_arrays, compare_outputs, tolerance


def ones(count: int, dtype: type = np.float32) -> np.ndarray:
    return np.ones(count, dtype)


@pytest.mark.parametrize(
    ("dtype", "mean"),
    [("float16", 1 / 1024), ("bfloat16", 1 / 128), ("float32", 1 / 8192), ("complex64", 1 / 8192), ("int32", 0)],
)
def test_tolerances_are_those_of_the_design(dtype: str, mean: float) -> None:
    assert tolerance(dtype).mean == mean
    assert tolerance(dtype).maximum == 10 * mean


def test_every_dtype_has_a_tolerance() -> None:
    assert all(tolerance(dtype).maximum >= 0 for dtype in DTYPES)


def test_one_element_over_the_maximum_fails_though_the_mean_is_fine() -> None:
    # 1 of 1000 elements off by 2 %: mean 2e-5 < 2^-10, maximum 0.02 > 10 * 2^-10 = 0.00977
    got = ones(1000, np.float16)
    got[123] = 1.02
    result = compare_arrays("y", "float16", (10, 100), got, ones(1000, np.float16))
    assert not result.correct
    assert "y[1, 23]" in result.reason
    assert result.max_rel_error == pytest.approx(0.02, rel=0.03)


def test_a_small_bias_everywhere_fails_by_its_mean() -> None:
    # 2^-12 everywhere is under the maximum of 10 * 2^-13 but over the mean of 2^-13
    result = compare_arrays("y", "float32", (64,), ones(64) * np.float32(1 + 2**-12), ones(64))
    assert not result.correct
    assert result.mean_rel_error == pytest.approx(2**-12)
    assert "mean relative error" in result.reason


def test_cancellation_is_judged_at_the_scale_of_its_neighbours() -> None:
    # median 1 gives a floor of 1/4: an absolute 2^-12 at want = 0 is a relative error of 2^-10
    want, got = ones(101), ones(101)
    want[0], got[0] = 0.0, 2.0**-12
    result = compare_arrays("y", "float16", (101,), got, want)
    assert result.correct
    assert result.max_rel_error == pytest.approx(2.0**-10)


@pytest.mark.parametrize(
    ("got", "want", "right"),
    [
        (np.nan, np.nan, True),
        (np.nan, 1.0, False),
        (1.0, np.nan, False),
        (np.inf, np.inf, True),
        (-np.inf, np.inf, False),
        (np.inf, 1.0, False),
        (65504.0, np.inf, False),
    ],
)
def test_nan_and_infinity_must_stand_at_the_same_places(got: float, want: float, right: bool) -> None:
    mine, theirs = ones(8, np.float16), ones(8, np.float16)
    mine[3], theirs[3] = got, want
    assert compare_arrays("y", "float16", (8,), mine, theirs).correct is right


def test_the_reference_is_rounded_to_the_dtype_of_the_output() -> None:
    # 1e6 is infinite in float16; 1 + 2^-9 rounds to 1 in bfloat16 (8 bits of precision)
    assert compare_arrays("y", "float16", (1,), np.array([np.inf], np.float16), np.array([1e6])).correct
    exact = compare_arrays("y", "bfloat16", (1,), np.array([1], ml_dtypes.bfloat16), np.array([1 + 2**-9]))
    assert exact.max_rel_error == 0.0


def test_integers_are_exact() -> None:
    want = np.arange(6, dtype=np.int32)
    got = want.copy()
    assert compare_arrays("y", "int32", (2, 3), got, want).correct
    got[4] += 1
    result = compare_arrays("y", "int32", (2, 3), got, want)
    assert not result.correct
    assert "y[1, 1] is 5, not 4" in result.reason


@pytest.mark.parametrize(
    ("got", "want", "right"),
    [
        (2, 2.5, True),
        (3, 2.5, True),
        (3, 2.3, True),  # the device computed 2.51
        (3, 2.2, False),
        (-128, -127.5, True),
        (3, 2.0, False),  # a whole number leaves no choice
        (0, np.nan, False),
    ],
)
def test_a_quantised_value_may_be_rounded_either_way_near_the_middle(got: int, want: float, right: bool) -> None:
    result = compare_arrays("y", "int8", (1,), np.array([got], np.int8), np.array([want], np.float32))
    assert result.correct is right


def test_a_whole_number_in_floats_is_exact_however_large() -> None:
    want = np.array([2**30], np.float64)
    assert compare_arrays("y", "int32", (1,), np.array([2**30], np.int32), want).correct
    assert not compare_arrays("y", "int32", (1,), np.array([2**30 + 1], np.int32), want).correct


def test_missing_outputs_and_wrong_sizes_fail_with_a_reason() -> None:
    case = toy_case("c", (4,))
    assert "expected 1 outputs" in compare_outputs(case, [], [ones(4)]).reason
    assert "3 elements" in compare_outputs(case, [ones(3)], [ones(4)]).reason
    assert compare_arrays("y", "float32", (0, 3), ones(0), ones(0)).correct
