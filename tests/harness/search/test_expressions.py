"""Which expressions of host code may be replaced, and by what."""

from __future__ import annotations

import pytest

from ascendopt.harness.search.expressions import find_choices
from ascendopt.harness.search.host_slots import host_slots
from ascendopt.harness.search.space import TilingSpace
from ascendopt.harness.search.tunables import find_tunables

HOST = """static int Tiling(Context* context) {
    uint32_t total = context->Size();
    uint32_t coreNum = context->Cores();
    uint32_t coreLength = (total + coreNum - 1) / coreNum;
    uint32_t tileLength = Pick(total);
    uint32_t lastCoreLength = total - coreLength * 3;
    return 0;
}
"""


def values(text: str, **names: int) -> int:
    """What a C++ expression of whole numbers gives: its division is Python's for what is not negative."""
    return int(eval(text.replace("/", "//"), {"__builtins__": {}}, dict(names)))


def alternatives(name: str, host: str = HOST) -> tuple[str, ...]:
    (choice,) = [choice for choice in find_choices(host.encode()) if choice.name == name]
    assert host.encode()[choice.start : choice.end].decode() == choice.alternatives[0]
    assert host.splitlines()[choice.line - 1].strip().startswith(f"uint32_t {name}")
    return choice.alternatives


def test_tiles_and_shares_of_cores_are_choices_and_what_they_leave_over_is_not() -> None:
    assert [choice.name for choice in find_choices(HOST.encode())] == ["coreLength", "tileLength"]


@pytest.mark.parametrize(("whole", "tile"), [(1000, 300), (4096, 4096), (4097, 4096), (10, 64), (99_999, 2048)])
def test_an_even_tile_takes_no_more_steps_and_leaves_no_small_rest(whole: int, tile: int) -> None:
    host = HOST.replace("Pick(total)", "(total + 0) / 1")
    even = alternatives("tileLength", host)[1].replace("(total + 0) / 1", "tile")
    made = values(even, coreLength=whole, tile=tile)
    steps = -(-whole // tile)
    assert made % 32 == 0
    assert -(-whole // made) <= steps
    # Equal pieces but for the rounding to 32.
    assert made - -(-whole // steps) < 32


def test_a_share_is_rounded_up_to_whole_lines_of_the_cache() -> None:
    for text, unit in zip(alternatives("coreLength")[1:], (128, 64), strict=True):
        made = values(text, total=1000, coreNum=48)
        assert made % unit == 0 and 0 <= made - 21 < unit


def test_kinds_are_not_mixed() -> None:
    host = "int f() {\n    uint32_t totalBytes = a + b;\n    uint32_t tileLength = (c + d) / 2;\n    return 0;\n}\n"
    assert not any("totalBytes" in text for text in alternatives("tileLength", host))


def test_an_expression_is_a_gene_of_the_patch_and_of_the_slots() -> None:
    texts = {"op_host/a.cpp": HOST, "op_kernel/a.h": "int k;\n"}
    space = TilingSpace(texts, find_tunables(texts))
    names = [tunable.name for tunable in space.tunables]
    genes = tuple(1 if name == "coreLength" else gene for name, gene in zip(names, space.original, strict=True))
    candidate = space.candidate(genes, "test")
    chosen = alternatives("coreLength")[1]
    assert f"uint32_t coreLength = {chosen};" in candidate.files["op_host/a.cpp"]
    assert candidate.note == f"coreLength (total + coreNum - 1) / coreNum -> {chosen}"
    slots = host_slots(texts, space.tunables)
    assert slots is not None
    assert f"ASCENDOPT_SLOT(int, {names.index('coreLength')}) == 1 ? " in slots.files["op_host/a.cpp"]


def test_a_marker_keeps_an_expression() -> None:
    host = HOST.replace("/ coreNum;", "/ coreNum;  // ascendopt: fixed")
    assert "coreLength" not in [t.name for t in find_tunables({"op_host/a.cpp": host})]


@pytest.mark.parametrize(
    ("own", "doubled"),
    [("a / b", "a / b * 2"), ("a + b", "(a + b) * 2"), ("Pick(a)", "Pick(a) * 2"), ("(a | b)", "(a | b) * 2")],
)
def test_parentheses_stand_where_they_are_needed(own: str, doubled: str) -> None:
    found = alternatives("tileLength", HOST.replace("Pick(total)", own))
    assert doubled in found
    assert any(text.startswith(f"({own} + 127)") for text in found)
