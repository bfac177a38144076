"""What the host library says about an operator that uses every form of definition."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = [pytest.mark.device, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def described(ask: Any) -> dict[str, Any]:
    return ask("describe")


def test_parameters_in_order_with_kinds_and_dtypes(described: dict[str, Any]) -> None:
    (op,) = described["ops"]
    assert op["name"] == "EveryForm"
    assert [(item["name"], item["kind"], item["dtypes"]) for item in op["inputs"]] == [
        ("x", "required", ["float16", "bfloat16"]),
        ("bias", "optional", ["float32", "float32"]),
        ("parts", "dynamic", ["int32", "int32"]),
        ("axes", "required", ["int64", "int64"]),
    ]
    assert [item.get("value_depend", False) for item in op["inputs"]] == [False, False, False, True]
    assert [item["name"] for item in op["outputs"]] == ["y"]


def test_attributes_with_defaults(described: dict[str, Any]) -> None:
    attrs = [(a["name"], a["type"], a["required"], a["default"]) for a in described["ops"][0]["attrs"]]
    assert attrs == [
        ("mode", "int", True, None),
        ("scale", "float", False, 0.1),
        ("keep", "bool", False, True),
        ("kind", "string", False, 'sum "all"'),
        ("sizes", "list_int", False, [3, 4]),
        ("weights", "list_float", False, [0.5, 2]),
    ]


def test_chips_and_their_own_parameters(described: dict[str, Any]) -> None:
    (op,) = described["ops"]
    assert op["socs"] == ["ascend910b", "ascend910"]
    assert list(op["configs"]) == ["ascend910"]
    assert op["configs"]["ascend910"]["inputs"][0]["dtypes"] == ["float16"]
    assert op["tiling"] and op["infer_shape"]


def test_struct_layout(described: dict[str, Any]) -> None:
    structs = {struct["cls"]: struct for struct in described["structs"]}
    assert {name: (s["op"], s["key"], s["size"]) for name, s in structs.items()} == {
        "InnerTiling": (None, None, 8),
        "EveryFormTiling": ("EveryForm", None, 56),
        "KeyedTiling": ("EveryForm", 7, 8),
    }
    # By hand: natural alignment (8 after 1 byte, 2 after a float), the nested struct at the next multiple of 8.
    outer = [(f["name"], f["type"], f["count"], f["offset"]) for f in structs["EveryFormTiling"]["fields"]]
    assert outer == [
        ("flag", "uint8_t", None, 0),
        ("total", "uint64_t", None, 8),
        ("ratio", "float", None, 16),
        ("list", "uint16_t", 3, 20),
        ("inner", "InnerTiling", None, 32),
        ("precise", "double", None, 40),
        ("last", "bool", None, 48),
    ]
    assert [(f["name"], f["offset"]) for f in structs["InnerTiling"]["fields"]] == [("small", 0), ("wide", 4)]
