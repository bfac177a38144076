"""System tests of our own as msopst would read them: shapes, value ranges and attributes that fit the definition."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ascendopt.harness.inference.definition import AttrPort, OperatorDefinition, Port
from ascendopt.harness.inference.examples import example_patterns
from ascendopt.harness.inference.system_tests import match_system_test, system_test_patterns

OP = OperatorDefinition(
    "Blend",
    (Port("a", "required", ("float16",)), Port("b", "required", ("int32",)), Port("mask", "optional", ("bool",))),
    (Port("y", "required", ("float16",)),),
    (AttrPort("weight", "float", True), AttrPort("mode", "string", False)),
)


def tensor(shape: object, low: float = -1, high: float = 2) -> dict[str, Any]:
    return {"format": ["ND"], "type": ["float16"], "shape": shape, "value_range": [[low, high]], "name": "any"}


def entry(*shapes: object, op: str = "Blend", weight: object = 2) -> dict[str, Any]:
    attr = [{"name": "weight", "type": "float", "value": weight}]
    return {"case_name": "t", "op": op, "input_desc": [tensor(shape) for shape in shapes], "attr": attr}


def test_a_test_becomes_a_pattern() -> None:
    found = match_system_test(entry([7, 13], [13]), OP, "st-1", "f.json")
    assert found is not None
    assert found.inputs == {"mask": (), "a": ((7, 13),), "b": ((13,),)}
    assert found.attrs == {"weight": 2.0}
    # Whole numbers keep the values that they have without a range.
    assert found.distributions == {"a": "uniform(-1.0, 2.0)"}
    assert found.fallback == (7, 13) and found.source == "f.json"


@pytest.mark.parametrize(
    "wrong",
    [
        entry([7], [7], op="Add"),
        entry([7]),
        entry([7], [7], [7], [7]),
        entry([], [7]),
        entry([7, -1], [7]),
        entry([7, True], [7]),
        entry("7", [7]),
        entry([7], [7], weight="2"),
        {**entry([7], [7]), "attr": []},
        {**entry([7], [7]), "attr": [{"name": "other", "value": 1}]},
        {"op": "Blend"},
    ],
)
def test_what_does_not_fit_the_definition_is_left(wrong: dict[str, Any]) -> None:
    assert match_system_test(wrong, OP, "st-1", "") is None


def test_files_give_few_patterns_with_shapes_of_their_own(tmp_path: Path) -> None:
    folder = tmp_path / "tests" / "st"
    folder.mkdir(parents=True)
    (folder / "a.json").write_text(json.dumps([entry([n, 4], [4]) for n in (8, 8, 9, 10, 11, 12)]))
    (folder / "b.json").write_text("{ broken")
    (folder / "c.json").write_bytes(b"\xff\xfe\x00")
    (folder / "d.json").write_text("[" * 100_000)
    found = system_test_patterns(tmp_path, OP)
    assert [(each.name, each.fallback) for each in found] == [(f"st-{n}", (7 + n, 4)) for n in (1, 2, 3, 4)]
    assert {each.source for each in found} == {"tests/st/a.json"}


def test_without_an_example_larger_cases_come_from_the_first_test(tmp_path: Path) -> None:
    folder = tmp_path / "tests" / "st"
    folder.mkdir(parents=True)
    (folder / "a.json").write_text(json.dumps([entry([12, 4], [12, 4])]))
    found = example_patterns(tmp_path, OP)
    assert found[0].name == "st-1" and not found[0].checked_only
    # All tensors have one shape, so they are resized to the spread of sizes.
    assert [each.name for each in found[1:]] == [
        "scaled-tiny",
        "scaled-aligned",
        "scaled-tail",
        "scaled-prime",
        "scaled-large",
    ]
    assert all(each.attrs == {"weight": 2.0} for each in found)
