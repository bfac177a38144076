"""Refitting constants: exports whose truth is known, and exports that are wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from harness.model.timing.conftest import TIMING

from ascendopt.harness.devices.model.calibration import (
    CalibrationError,
    changed,
    load_constants,
    match,
    read_export,
    refit,
)
from ascendopt.harness.workload import Case, TensorSpec

HEADING = "Op Name,OP Type,Task Duration(us),Input Shapes\n"
BYTES = tuple(1e6 * 1.5**step for step in range(15))


def times(values: Mapping[str, float]) -> list[float]:
    """A chip of two constants: a start, and bytes over HBM."""
    start = values["launch_base_us"] + values["kernel_start_us"]
    return [start + size / values["hbm_gbps"] / 1e3 for size in BYTES]


@pytest.fixture
def constants() -> dict[str, dict[str, dict[str, float]]]:
    return load_constants(TIMING / "Ascend910B1.json")


def truth(constants: dict[str, dict[str, dict[str, float]]], **factors: float) -> dict[str, float]:
    return {name: entry["value"] * factors.get(name, 1.0) for name, entry in constants["constants"].items()}


def test_bandwidth_is_found(constants: dict[str, dict[str, dict[str, float]]]) -> None:
    true = truth(constants, hbm_gbps=0.93)
    fit = refit(constants, times(true), times)
    assert fit.values["hbm_gbps"] == pytest.approx(true["hbm_gbps"], rel=0.02)
    errors = [abs(after / right - 1) for after, right in zip(fit.after_us, times(true), strict=True)]
    assert max(errors) < 0.02
    assert max(abs(before / right - 1) for before, right in zip(fit.before_us, times(true), strict=True)) > 0.05


def test_one_wrong_row_moves_little(constants: dict[str, dict[str, dict[str, float]]]) -> None:
    true = truth(constants, hbm_gbps=0.93)
    measured = times(true)
    measured[7] *= 10
    fit = refit(constants, measured, times)
    assert fit.values["hbm_gbps"] == pytest.approx(true["hbm_gbps"], rel=0.04)


def test_times_that_fit_already_move_nothing(constants: dict[str, dict[str, dict[str, float]]]) -> None:
    assert refit(constants, times(truth(constants)), times).values == {}


def test_new_values_are_fitted_and_as_uncertain_as_the_fit_says(
    constants: dict[str, dict[str, dict[str, float]]],
) -> None:
    entry = changed(constants, {"hbm_gbps": 1500.0}, "a test", {"hbm_gbps": 0.01})["constants"]["hbm_gbps"]
    assert (entry["value"], entry["source"], entry["note"]) == (1500.0, "fitted", "a test")
    assert entry["uncertainty"] == 0.01


def test_uncertainty_is_what_prior_and_times_leave_open(constants: dict[str, dict[str, dict[str, float]]]) -> None:
    # Nothing but bytes over HBM: each time is worth 3 %, the prior 4 %: 1 / (15 / 0.03^2 + 1 / 0.04^2) = sigma^2.
    def through_hbm(values: Mapping[str, float]) -> list[float]:
        return [size / values["hbm_gbps"] / 1e3 for size in BYTES]

    fit = refit(constants, through_hbm(truth(constants, hbm_gbps=0.98)), through_hbm)
    assert set(fit.values) == {"hbm_gbps"}
    assert fit.uncertainty["hbm_gbps"] == pytest.approx((15 / 0.03**2 + 1 / 0.04**2) ** -0.5, rel=0.06)


def test_a_chip_has_what_its_base_has() -> None:
    derived, base = (load_constants(TIMING / f"Ascend910{name}.json") for name in ("B4", "B1"))
    assert set(derived["constants"]) == set(base["constants"])
    assert derived["constants"]["clock_mhz"]["value"] == 1500


def test_rows_are_matched_by_type_and_shapes(tmp_path: Path) -> None:
    path = tmp_path / "op_summary.csv"
    path.write_text(
        HEADING + 'a,Scale,10.0,"8,16;16"\nb,Scale,14.0,"8,16;16"\nc,Scale,11.0,"8,16;16"\nd,Other,99,"8,16;16"\n'
    )
    specs = (TensorSpec("x", "float16", ((8, 16),)), TensorSpec("y", "float16", ((16,),)))
    case = Case("small", specs, (), {})
    assert match(read_export(path), "Scale", [case]) == [(case, 11.0)]
    with pytest.raises(CalibrationError, match="no row is of type Absent"):
        match(read_export(path), "Absent", [case])


def test_rows_of_other_types_are_others(tmp_path: Path) -> None:
    path = tmp_path / "op_summary.csv"
    heading = HEADING.replace("\n", ",Input Data Types\n")
    path.write_text(heading + "a,Scale,10.0,8,FLOAT16\nb,Scale,14.0,8,FLOAT\nc,Scale,11.0,8,DT_BF16\n")
    cases = [Case(dtype, (TensorSpec("x", dtype, ((8,),)),), (), {}) for dtype in ("float16", "float32", "bfloat16")]
    assert [time for _, time in match(read_export(path), "Scale", cases)] == [10.0, 14.0, 11.0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ":1: the file is empty"),
        ("Op Name,OP Type,Input Shapes\n", ":1: there is no column 'task duration"),
        (HEADING + 'a,Scale,fast,"8"\n', ":2: 'fast' is not a duration"),
        (HEADING + 'a,Scale,1.0,"8"\nb,Scale,-2,"8"\n', ":3: '-2' is not a duration"),
        (HEADING + 'a,Scale,1.0,"8xy"\n', ":2: '8xy' is not a list of shapes"),
        (HEADING + "a,Scale\n", ":2: the line has 2 fields"),
    ],
)
def test_wrong_exports_name_their_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "op_summary.csv"
    path.write_text(text)
    with pytest.raises(CalibrationError) as caught:
        read_export(path)
    assert f"{path}{said}" in str(caught.value)
