"""Workloads made up from operator definitions."""

from __future__ import annotations

import math
from typing import Any

import pytest

from ascendopt.harness.devices.base import DeviceFailure, TilingResult
from ascendopt.harness.inference import UnsupportedOperatorError, infer_workload
from ascendopt.harness.workload import Case, TensorSpec


def parameter(name: str, dtypes: list[str], kind: str = "required", **more: Any) -> dict[str, Any]:
    return {"name": name, "kind": kind, "dtypes": dtypes, **more}


def definition(**changes: Any) -> dict[str, Any]:
    base = {
        "name": "Thing",
        "inputs": [parameter("x", ["float16", "float32"]), parameter("mask", ["bool", "bool"])],
        "outputs": [parameter("y", ["float32", "float32"])],
        "attrs": [],
    }
    return base | changes


def test_dtype_columns_are_read_in_parallel() -> None:
    cases = infer_workload(definition()).workload.cases
    columns = {tuple(s.dtype for s in (*c.inputs, *c.outputs)) for c in cases}
    assert columns == {("float16", "bool", "float32"), ("float32", "bool", "float32")}


def test_shapes_spread_and_outputs_follow_the_first_input() -> None:
    cases = infer_workload(definition()).workload.cases
    assert {c.inputs[0].shape for c in cases} == {(7,), (8, 2048), (37, 333), (89, 97), (1024, 1024)}
    assert all(c.outputs[0].shapes == c.inputs[0].shapes for c in cases)
    assert {c.name.split("/")[0] for c in cases if not c.correctness_only} == {"large"}


def test_there_is_no_reference() -> None:
    assert infer_workload(definition()).workload.reference is None


def test_same_dtypes_in_two_columns_are_one() -> None:
    twice = definition(inputs=[parameter("x", ["int32", "int32"])], outputs=[parameter("y", ["int32", "int32"])])
    names = [case.name for case in infer_workload(twice).workload.cases]
    assert len(names) == len(set(names)) == 5


def test_columns_in_plain_formats_win() -> None:
    x = parameter("x", ["float16", "float32"], formats=["FRACTAL_NZ", "ND"])
    cases = infer_workload(definition(inputs=[x])).workload.cases
    assert {case.inputs[0].dtype for case in cases} == {"float32"}


def test_columns_with_a_dtype_that_can_not_be_run_are_left_out() -> None:
    cases = infer_workload(definition(inputs=[parameter("x", ["qint8", "complex64"])])).workload.cases
    assert {case.inputs[0].dtype for case in cases} == {"complex64"}


def test_an_operator_without_outputs_works_in_place() -> None:
    case = infer_workload(definition(outputs=[])).workload.cases[0]
    assert [(spec.name, spec.shapes) for spec in case.outputs] == [("x", case.inputs[0].shapes)]


def test_an_output_that_is_called_like_an_input_is_shaped_like_it() -> None:
    op = definition(
        inputs=[parameter("a", ["float32"], scalar=True), parameter("b", ["float32"])],
        outputs=[parameter("b", ["float32"])],
    )
    case = infer_workload(op).workload.cases[1]
    assert case.outputs[0].shapes == ((8, 2048),)


def test_indices_stay_inside_the_smallest_dimension() -> None:
    op = definition(inputs=[parameter("x", ["float32"]), parameter("indices", ["int32"]), parameter("n", ["int32"])])
    case = infer_workload(op).workload.cases[1]
    assert [spec.distribution for spec in case.inputs] == ["positive", "integers(0, 7)", "integers(1, 10)"]


class HostCode:
    """Halves the last dimension; refuses what has one dimension."""

    def infer_outputs(self, case: Case) -> tuple[TensorSpec, ...]:
        *rows, last = case.inputs[0].shape
        return (TensorSpec("y", "float32", ((*rows, last // 2),)),)

    def tile(self, case: Case) -> TilingResult:
        if len(case.inputs[0].shape) == 1:
            raise DeviceFailure("tile", "one dimension is not enough.")
        return TilingResult({}, b"", 0, 1, 0)


class RefusingHostCode(HostCode):
    def tile(self, case: Case) -> TilingResult:
        raise DeviceFailure("tile", "never.")


def test_outputs_are_the_operators_own_and_its_tiling_has_the_last_word() -> None:
    inferred = infer_workload(definition(), host=HostCode())
    cases = inferred.workload.cases
    assert {case.outputs[0].shape for case in cases} == {(8, 1024), (37, 166), (89, 48), (1024, 512)}
    assert len(inferred.notes) == 2
    assert all(note.startswith("case tiny/") and "one dimension is not enough" in note for note in inferred.notes)


def test_where_the_tiling_takes_nothing_one_case_shows_what_it_says() -> None:
    assert len(infer_workload(definition(), host=RefusingHostCode()).workload.cases) == 1


def test_lists_scalars_and_optional_inputs() -> None:
    op = definition(
        inputs=[
            parameter("x", ["float32"], "dynamic"),
            parameter("alpha", ["float32"], scalar=True),
            parameter("bias", ["float32"], "optional"),
        ],
        outputs=[parameter("y", ["float32"], "dynamic")],
    )
    case = infer_workload(op).workload.cases[0]
    x, alpha, bias = case.inputs
    assert x.is_list and len(x.shapes) == 3
    assert alpha.shapes == ((1,),)
    assert bias.shapes == ()
    assert case.outputs[0].is_list and case.outputs[0].shapes == x.shapes


def test_lists_come_with_many_small_tensors_too() -> None:
    x, scalars = parameter("x", ["float32"], "dynamic"), parameter("scalars", ["float32"], scalar_list=True)
    cases = infer_workload(
        definition(inputs=[x, scalars], outputs=[parameter("y", ["float32"], "dynamic")])
    ).workload.cases
    [case] = [case for case in cases if case.name.startswith("many-small/")]
    assert len(case.inputs[0].shapes) == 49 and max(math.prod(shape) for shape in case.inputs[0].shapes) == 33
    assert case.inputs[1].shapes == ((49,),)
    single = infer_workload(definition()).workload.cases
    assert not any(case.name.startswith("many-small/") for case in single)


def test_required_attributes_get_a_value() -> None:
    attr = {"name": "axis", "type": "int", "required": True, "default": None}
    free = {"name": "eps", "type": "float", "required": False, "default": 1e-6}
    assert infer_workload(definition(attrs=[attr, free])).workload.cases[0].attrs == {"axis": 1}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"inputs": []}, "no inputs"),
        ({"inputs": [parameter("x", ["string"])]}, "none of the dtypes"),
        ({"attrs": [{"name": "ks", "type": "list_int", "required": True, "default": None}]}, "'ks'"),
    ],
)
def test_what_can_not_be_made_up_says_why(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(UnsupportedOperatorError, match=says):
        infer_workload(definition(**changes))
