"""Running tiling functions: values, defaults, platform answers, and failures that say what was wrong."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from .conftest import COUPLED

pytestmark = [pytest.mark.device, pytest.mark.timeout(900)]

BASE = (
    "op EveryForm",
    "input float16 4,5",
    "input float32",
    "inputs int32 2,3 4 -",
    "input int64 2",
    "output float32 8,5",
)
LAYOUT = "<B7xQf3H6xbxxxIdB7x"


def with_bias(*more: str) -> tuple[str, ...]:
    return ("op EveryForm", "input float16 4,5", "input float32 5", *BASE[3:], *more)


def test_defaults_lists_and_platform(ask: Any) -> None:
    answer = ask("tile", *BASE, "attr mode int 3")
    assert answer["ok"], answer
    raw = bytes.fromhex(answer["tiling"])
    assert len(raw) == 56
    flag, total, ratio, count, second, keep, small, wide, precise, last = struct.unpack(LAYOUT, raw)
    # parts: 2*3 + 4 + 1 (a scalar); sizes default [3, 4]; weights default [0.5, 2.0]: 0.5 + 2 entries
    assert (flag, total, count, second, keep, precise, last) == (100, 11, 2, 4, 1, 2.5, 1)
    assert ratio == pytest.approx(0.1)
    assert (small, wide) == (-128, 196352)
    assert (answer["tiling_key"], answer["block_dim"], answer["workspace"]) == (3, 48, 1024)
    assert answer["schedule_mode"] == 1
    assert "printed" in answer["log"]


def test_values_attributes_and_an_optional_input(ask: Any) -> None:
    lines = ("op EveryForm", "input float16 4,5", "input float32 5", "inputs int32 7", "input int64 2", "values 42 1")
    attrs = ("attr scale float 2", "attr sizes list_int 9 8 7", "attr keep bool 0", "attr kind string other")
    answer = ask("tile", *lines, "output float32 8,5", "attr mode int 3", *attrs)
    flag, total, ratio, count, second, keep, small, _, _, last = struct.unpack(LAYOUT, bytes.fromhex(answer["tiling"]))
    assert (flag, total, ratio, count, second, keep, small, last) == (200, 7, 2.0, 3, 8, 0, 42, 0)


def test_coupled_chips_answer_with_all_cores(ask: Any) -> None:
    answer = ask("tile", *BASE, "attr mode int 3", chip=COUPLED)
    assert answer["block_dim"] == 32
    assert struct.unpack(LAYOUT, bytes.fromhex(answer["tiling"]))[7] == 262144


def test_a_struct_of_its_own_for_a_tiling_key(ask: Any) -> None:
    answer = ask("tile", *with_bias("attr mode int 7"))
    assert answer["tiling_key"] == 7
    assert struct.unpack("<q", bytes.fromhex(answer["tiling"])) == (-5,)


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ((*BASE, "attr mode int 13"), "the tiling function of EveryForm returned failure: mode 13 is not supported"),
        ((*BASE, "attr mode int 14"), "the host code threw an exception: thrown"),
        ((*BASE, "attr mode int 15"), "the tiling function of EveryForm did not set a block dim"),
        (BASE, "attribute 'mode' is required, but the case does not give it"),
        ((*BASE, "attr mode int 3", "attr nope int 1"), "the operator has no attribute 'nope'"),
        (BASE[:2], "number of inputs: the case gives 1, the operator definition has 4"),
        (("op EveryForm", "input float16", *BASE[2:]), "input 'x' is required, but the case gives it no shape"),
        (("op EveryForm", "input float17 2", *BASE[2:]), "input 'x' has the unknown dtype 'float17'"),
        (("op Other", *BASE[1:]), "the host code registers no operator 'Other'"),
    ],
)
def test_failures_say_what_was_wrong(ask: Any, lines: tuple[str, ...], says: str) -> None:
    answer = ask("tile", *lines)
    assert not answer["ok"] and answer["stage"] == "tile"
    assert answer["reason"].startswith(says)


def test_shape_inference(ask: Any) -> None:
    answer = ask("infer", *BASE, "attr mode int 3")
    assert answer["ok"], answer
    assert answer["outputs"] == [{"shapes": [[8, 5]], "dtype": "float32", "list": False}]
