"""The references against values worked out by hand, and the cases against what the operators declare."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ascendopt.harness.evaluation import elements
from ascendopt.harness.gates.inputs import make_inputs
from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads import find_workload, known_operators

# Columns of input dtypes as the public operator definitions declare them.
DECLARED = {
    "AddCustom": {("float32", "float32"), ("float16", "float16"), ("int32", "int32"), ("int8", "int8")},
    "Lerp": {(d, d, d) for d in ("float32", "float16", "bfloat16")},
    "Sqrt": {("float16",), ("float32",), ("bfloat16",)},
    "Xlogy": {("float32", "float32"), ("float16", "float16")},
    "SwiGlu": {("float16",), ("float32",), ("bfloat16",)},
    "ForeachExp": {("float16",), ("float32",), ("bfloat16",)},
    "ForeachAddList": {
        ("float16", "float16", "float16"),
        ("float32", "float32", "float32"),
        ("int32", "int32", "int32"),
        ("bfloat16", "bfloat16", "float32"),
    },
    "RmsNorm": {
        ("float16", "float32"),
        ("bfloat16", "float32"),
        ("float16", "float16"),
        ("float32", "float32"),
        ("bfloat16", "bfloat16"),
    },
}


def workload(op: str) -> Workload:
    found = find_workload(op)
    assert found is not None
    return found


def function(found: Workload) -> Callable[[Sequence[Any], Mapping[str, Any]], list[Any]]:
    file = found.reference
    assert file is not None
    family = "families." if file.parent.name == "families" else ""
    return getattr(import_module(f"ascendopt.harness.workloads.{family}{file.stem}"), found.function)


def reference(op: str, inputs: list[Any], **attrs: Any) -> list[Any]:
    return function(workload(op))(inputs, attrs)


@pytest.mark.parametrize("op", DECLARED)
def test_every_declared_dtype_column_has_checked_and_timed_cases(op: str) -> None:
    cases = workload(op).cases
    for timed in (True, False):
        columns = {tuple(s.dtype for s in c.inputs) for c in cases if c.correctness_only != timed}
        assert columns == DECLARED[op]


@pytest.mark.parametrize("op", DECLARED)
def test_case_names_are_unique_and_say_their_dtype(op: str) -> None:
    cases = workload(op).cases
    assert len({case.name for case in cases}) == len(cases)
    assert all(case.inputs[0].dtype in case.name for case in cases)


@pytest.mark.parametrize("op", DECLARED)
def test_references_give_the_shapes_and_dtypes_of_the_outputs(op: str) -> None:
    for case in workload(op).cases:
        if not case.correctness_only or math.prod(case.inputs[0].shapes[0]) > 100_000:
            continue
        outputs = reference(op, make_inputs(case, seed=1), **case.attrs)
        expected = [(shape, spec.dtype) for spec in case.outputs for shape in spec.shapes]
        assert [array.shape for array in outputs] == [shape for shape, _ in expected]
        for array, (_, dtype) in zip(outputs, expected, strict=True):
            # What is quantised comes before it is rounded (gates/correctness.py).
            assert array.dtype.name == dtype or (dtype, array.dtype.name) == ("int8", "float32")
        assert all(np.isfinite(array.astype(np.float64)).all() for array in outputs)


def test_unknown_operators_have_no_workload() -> None:
    assert find_workload("NoSuchOperator") is None
    assert find_workload("Build") is None
    assert find_workload("../x") is None


def test_every_operator_of_the_catalogue_is_found_by_its_name() -> None:
    for name in known_operators():
        found = find_workload(name)
        assert found is not None and found.source is not None and found.source.is_file()
        assert found.reference == (found.source if found.function else None)
        assert len({case.name for case in found.cases}) == len(found.cases)
        assert any(not case.correctness_only for case in found.cases)


def with_reference() -> list[str]:
    return [name for name in known_operators() if (found := find_workload(name)) and found.reference]


@pytest.mark.parametrize("name", with_reference())
def test_references_answer_for_the_smallest_case_of_each_dtype(name: str) -> None:
    found = find_workload(name)
    assert found is not None
    smallest: dict[tuple[str, ...], Case] = {}
    for case in sorted(found.cases, key=elements):
        smallest.setdefault(tuple(s.dtype for s in (*case.inputs, *case.outputs)), case)
    for case in smallest.values():
        outputs = function(found)(make_inputs(case, seed=1), case.attrs)
        expected = [(shape, spec.dtype) for spec in case.outputs for shape in spec.shapes]
        assert [array.shape for array in outputs] == [shape for shape, _ in expected]
        for array, (_, dtype) in zip(outputs, expected, strict=True):
            # What is quantised comes before it is rounded (gates/correctness.py).
            assert array.dtype.name == dtype or (dtype, array.dtype.name) == ("int8", "float32")


def test_sources_are_the_modules_own_files() -> None:
    found = workload("RmsNorm")
    assert found.reference == found.source
    assert found.source is not None and Path(found.source).name == "rms_norm.py"


def test_add_rounds_floats_once_and_keeps_integers_exact() -> None:
    # 2049 is halfway between the float16 neighbours 2048 and 2050 and rounds to even.
    (z,) = reference("AddCustom", [np.float16([2048]), np.float16([1])])
    assert z.dtype == np.float16 and z.tolist() == [2048.0]
    (z,) = reference("AddCustom", [np.int32([2**24]), np.int32([1])])
    assert z.tolist() == [2**24 + 1]


def test_sqrt_of_squares() -> None:
    (y,) = reference("Sqrt", [np.float32([0, 1, 4, 2.25])])
    assert y.tolist() == [0, 1, 2, 1.5]


def test_lerp_ends_and_middle() -> None:
    (y,) = reference("Lerp", [np.float32([2, 2, 2]), np.float32([4, 4, 4]), np.float32([0, 0.5, 1])])
    assert y.tolist() == [2, 3, 4]


def test_xlogy_is_zero_where_the_factor_is() -> None:
    (y,) = reference("Xlogy", [np.float32([0, 2, 0]), np.float32([0, 1, np.nan])])
    assert y[:2].tolist() == [0, 0] and np.isnan(y[2])
    (y,) = reference("Xlogy", [np.float32([3]), np.float32([math.e])])
    assert y[0] == pytest.approx(3, rel=1e-6)


def test_swi_glu_splits_the_named_dimension() -> None:
    # silu(0) = 0; silu(ln 3) = ln 3 * 3/4.
    x = np.float32([[0, math.log(3), 5, 8]])
    (y,) = reference("SwiGlu", [x], dim=-1)
    assert y.tolist()[0] == pytest.approx([0, math.log(3) * 0.75 * 8], rel=1e-6)
    (y,) = reference("SwiGlu", [x.T], dim=0)
    assert y.T.tolist()[0] == pytest.approx([0, math.log(3) * 0.75 * 8], rel=1e-6)


def test_foreach_exp_goes_tensor_by_tensor() -> None:
    first, second = reference("ForeachExp", [np.float32([0, 1]), np.float32([[-1]])])
    assert first.tolist() == pytest.approx([1, math.e])
    assert second.tolist() == [[pytest.approx(1 / math.e)]]


def test_foreach_add_list_scales_the_second_list() -> None:
    lists = [np.int32([1, 2]), np.int32([3]), np.int32([10, 20]), np.int32([30]), np.int32([2])]
    first, second = reference("ForeachAddList", lists)
    assert first.tolist() == [21, 42] and second.tolist() == [63]
    halves = [np.array([1], ml_dtypes.bfloat16), np.array([2], ml_dtypes.bfloat16), np.float32([0.5])]
    (sum_,) = reference("ForeachAddList", halves)
    assert sum_.dtype == ml_dtypes.bfloat16 and float(sum_[0]) == 2


def test_rms_norm_by_hand() -> None:
    # mean of 9 and 16 is 12.5
    y, rstd = reference("RmsNorm", [np.float32([[3, 4]]), np.float32([1, 2])], epsilon=0.0)
    scale = 1 / math.sqrt(12.5)
    assert rstd.shape == (1, 1) and rstd[0, 0] == pytest.approx(scale, rel=1e-6)
    assert y.tolist()[0] == pytest.approx([3 * scale, 8 * scale], rel=1e-6)


def test_rms_norm_over_two_dimensions() -> None:
    x = np.full((2, 2, 2), 2, np.float32)
    y, rstd = reference("RmsNorm", [x, np.ones((2, 2), np.float32)], epsilon=0.0)
    assert rstd.shape == (2, 1, 1) and rstd.reshape(-1).tolist() == [0.5, 0.5]
    assert (y == 1).all()
