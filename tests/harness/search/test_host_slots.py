"""Host code with slots says what the host code with the numbers says."""

from __future__ import annotations

from ascendopt.harness.search.host_slots import host_slots
from ascendopt.harness.search.space import TilingSpace
from ascendopt.harness.search.tunables import find_tunables


def slotted(host: str, kernel: str = "") -> tuple[str, tuple[str, ...]]:
    texts = {"op_host/a.cpp": host, "op_kernel/a.h": kernel}
    slots = host_slots(texts, find_tunables(texts))
    assert slots is not None and list(slots.files) == ["op_host/a.cpp"]
    return slots.files["op_host/a.cpp"], tuple(t.name for t in slots.tunables)


def test_a_constant_becomes_one_that_is_set_when_the_object_is_loaded() -> None:
    text, names = slotted("constexpr uint32_t TILE_LEN = 512;\nint a = TILE_LEN;\n")
    assert text == "const uint32_t TILE_LEN = ASCENDOPT_SLOT(int, 0);\nint a = TILE_LEN;\n"
    assert names == ("TILE_LEN",)


def test_constants_that_are_computed_from_it_follow() -> None:
    text, _ = slotted(
        "constexpr uint64_t TILE_LEN = 512;\n"
        "constexpr uint64_t HALF = TILE_LEN / 2;\n"
        "constexpr uint64_t QUARTER = HALF / 2;\n"
        "constexpr uint64_t BLOCK = 32;\n"
        "uint64_t a = QUARTER + BLOCK;\n"
    )
    assert [line.split()[0] for line in text.splitlines()] == ["const", "const", "const", "constexpr", "uint64_t"]


def test_a_member_is_inline_to_take_a_value_that_is_not_known() -> None:
    text, _ = slotted("struct T {\n    static constexpr uint32_t TILE_LEN = 512;\n    int a = TILE_LEN;\n};\n")
    assert "static inline const uint32_t TILE_LEN = ASCENDOPT_SLOT(int, 0);" in text


def test_a_variable_keeps_its_declaration_and_the_suffix_gives_the_type() -> None:
    text, _ = slotted("void f() {\n    uint32_t ubDivisor = 6UL;\n    use(ubDivisor);\n}\n")
    assert "uint32_t ubDivisor = ASCENDOPT_SLOT(unsigned long, 0);" in text


def test_a_macro_takes_a_slot() -> None:
    text, _ = slotted("#define TILE_LEN 512\nint a = TILE_LEN;\n")
    assert text.startswith("#define TILE_LEN ASCENDOPT_SLOT(int, 0)\n")


def test_numbers_of_the_kernel_stay_numbers() -> None:
    texts = {
        "op_host/a.cpp": "int a;\n",
        "op_kernel/a.h": "constexpr int BUFFER_NUM = 1;\nTQue<VECIN, BUFFER_NUM> q;\n",
    }
    assert host_slots(texts, find_tunables(texts)) is None


def test_lines_stay_where_they_are() -> None:
    host = "// one\nconstexpr uint32_t TILE_LEN = 512;  // two\nint a = TILE_LEN;\n"
    assert slotted(host)[0].count("\n") == host.count("\n")


def test_a_candidate_carries_its_numbers_and_the_kernel_that_host_code_may_include() -> None:
    texts = {
        "op_host/a.cpp": "constexpr uint32_t TILE_LEN = 512;\nint a = TILE_LEN;\n",
        "op_kernel/a.h": "constexpr int BUFFER_NUM = 1;\nTQue<VECIN, BUFFER_NUM> q;\n",
    }
    space = TilingSpace(texts, find_tunables(texts))
    wanted = {"TILE_LEN": 1024, "BUFFER_NUM": 2}
    genes = tuple(t.domain.index(wanted[t.name]) for t in space.tunables)
    candidate = space.candidate(genes, "test")
    assert candidate.template is not None
    assert candidate.template.values == (1024,)
    assert "BUFFER_NUM = 2" in candidate.template.files["op_kernel/a.h"]
    assert "ASCENDOPT_SLOT" in candidate.template.files["op_host/a.cpp"]
    assert "TILE_LEN = 1024" in candidate.files["op_host/a.cpp"]
