"""Workloads made up from operator definitions."""

from __future__ import annotations

from typing import Any

import pytest

from ascendopt.harness.workloads import UnsupportedOperatorError, infer_workload


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
    cases = infer_workload(definition()).cases
    columns = {tuple(s.dtype for s in (*c.inputs, *c.outputs)) for c in cases}
    assert columns == {("float16", "bool", "float32"), ("float32", "bool", "float32")}


def test_shapes_spread_and_outputs_follow_the_first_input() -> None:
    cases = infer_workload(definition()).cases
    assert {c.inputs[0].shape for c in cases} == {(7,), (8, 2048), (1000, 333), (4096, 4096)}
    assert all(c.outputs[0].shapes == c.inputs[0].shapes for c in cases)
    assert {c.name.split("/")[0] for c in cases if not c.correctness_only} == {"large"}


def test_there_is_no_reference() -> None:
    assert infer_workload(definition()).reference is None


def test_same_dtypes_in_two_columns_stay_apart() -> None:
    twice = definition(inputs=[parameter("x", ["int32", "int32"])], outputs=[parameter("y", ["int32", "int32"])])
    names = [case.name for case in infer_workload(twice).cases]
    assert len(names) == len(set(names)) == 8


def test_lists_scalars_and_optional_inputs() -> None:
    op = definition(
        inputs=[
            parameter("x", ["float32"], "dynamic"),
            parameter("alpha", ["float32"], scalar=True),
            parameter("bias", ["float32"], "optional"),
        ],
        outputs=[parameter("y", ["float32"], "dynamic")],
    )
    case = infer_workload(op).cases[0]
    x, alpha, bias = case.inputs
    assert x.is_list and len(x.shapes) == 3
    assert alpha.shapes == ((1,),)
    assert bias.shapes == ()
    assert case.outputs[0].is_list and case.outputs[0].shapes == x.shapes


def test_required_attributes_get_a_value() -> None:
    attr = {"name": "axis", "type": "int", "required": True, "default": None}
    free = {"name": "eps", "type": "float", "required": False, "default": 1e-6}
    assert infer_workload(definition(attrs=[attr, free])).cases[0].attrs == {"axis": 1}


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
