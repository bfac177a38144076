"""Lines, masking, conditionals and edits of source text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascendopt.analysis.source import LineTable, SourceFile, chip_macros, is_ascendc, is_register_code
from ascendopt.analysis.source.conditionals import dead_ranges

A2 = chip_macros(220, 2201)
PATH = Path("k.cpp")

KERNEL = """\
#include "kernel_operator.h"
#define CALL(cls, args...) do { cls op; op.Init(args); } while (0)
template <typename T>
class Twice {
public:
    __aicore__ inline void Init(GM_ADDR x, __gm__ uint8_t* y, Params p = {})
    {
        if ASCEND_IS_AIV {
            inQue.template EnQue(first);
        }
#if __CCE_AICORE__ == 200
        Old();
#else
        New();
#endif
    }
private:
    TQue<TPosition::VECIN, 2> inQue;  // 注释 😀
};
extern "C" __global__ __aicore__ void twice(GM_ADDR x, GM_ADDR y) {}
void host(void* s) { twice<<<8, nullptr, s>>>(x, y); }
"""

HOST = """\
BEGIN_TILING_DATA_DEF(TwiceTilingData)
  TILING_DATA_FIELD_DEF(uint32_t, tile);
  TILING_DATA_FIELD_DEF_ARR(int64_t, 4, sizes);
  TILING_DATA_FIELD_DEF_STRUCT(Other, other);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Twice, TwiceTilingData)
static int f(int x) {
    OP_CHECK(x < 0, OP_LOGE("f", "bad"), return -1);
    OP_TILING_CHECK(x > 4, LOG(x); , return -2;);
    SELECT_TYPE(x, float, half);
    return 0;
}
"""


def parse(text: str, macros: dict[str, int | None] | None = None) -> SourceFile:
    return SourceFile.of(PATH, text.encode(), macros)


# ------------------------------------------------------------------ lines


def test_only_line_feeds_and_carriage_returns_end_lines() -> None:
    data = "a\fb\u2028c\vd\x85e\r\nf\rg\nh".encode()
    table = LineTable.of(data)
    assert [table.line_bytes(data, line).decode() for line in range(len(table))] == [
        "a\fb\u2028c\vd\x85e",
        "f",
        "g",
        "h",
    ]


def test_utf16_columns() -> None:
    data = "x\n// 注😀y\n".encode()
    table = LineTable.of(data)
    # `注` is one UTF-16 unit and three bytes, the emoji two units and four bytes.
    assert table.offset(data, 1, 3) == 2 + 3
    assert table.offset(data, 1, 4) == 2 + 3 + 3
    assert table.offset(data, 1, 6) == 2 + 3 + 3 + 4
    assert table.position(data, 2 + 3 + 3 + 4) == (1, 6)
    assert table.offset(data, 1, 99) == len(data) - 1
    assert table.offset(data, 99, 0) == len(data)


# ------------------------------------------------------------------ masking


@pytest.mark.parametrize("text", [KERNEL, HOST])
def test_ascendc_text_parses_without_errors(text: str) -> None:
    source = parse(text, A2)
    assert len(source.masked) == len(source.data)
    assert not source.tree.root_node.has_error


def test_masking_keeps_lengths_line_breaks_and_other_words() -> None:
    source = parse(KERNEL)
    assert source.masked.count(b"\n") == source.data.count(b"\n")
    assert b"__gm__" not in source.masked
    assert b"uint8_t* y" in source.masked
    assert "注释 😀".encode() in source.masked


def test_tiling_macros_become_a_struct() -> None:
    masked = parse(HOST).masked.decode()
    assert "struct" in masked and "TwiceTilingData{" in masked
    assert "uint32_t  tile" in masked and "int64_t" in masked
    assert "REGISTER" not in masked


def test_words_inside_longer_words_stay() -> None:
    source = parse("int my__gm__x = 0; int ASCEND_IS_AIVX;")
    assert source.masked == source.data


def test_launches_are_remembered() -> None:
    (name, span), *rest = parse(KERNEL).launches()
    assert (name, rest) == ("twice", [])
    assert KERNEL.encode()[span.start : span.end] == b"8, nullptr, s"


# ------------------------------------------------------------------ conditionals


def dropped(text: str, macros: dict[str, int | None]) -> str:
    data = text.encode()
    for start, end in reversed(dead_ranges(data, macros)):
        data = data[:start] + data[end:]
    return "".join(data.decode().split())


@pytest.mark.parametrize(
    ("condition", "left"),
    [
        ("__CCE_AICORE__ == 220", "a"),
        ("__CCE_AICORE__ < 220", "b"),
        ("defined(__CCE_AICORE__) && __CCE_AICORE__ != 100", "a"),
        ("!defined(ASCENDC_CPU_DEBUG)", "a"),
        ("__NPU_ARCH__ == 0x899 || UNKNOWN", "a"),
    ],
)
def test_decided_branches(condition: str, left: str) -> None:
    assert dropped(f"#if {condition}\na\n#else\nb\n#endif\n", A2) == left


def test_undecided_branches_stay_whole() -> None:
    text = "#if ORIG_DTYPE_X == DT_FLOAT\na\n#elif __CCE_AICORE__ == 200\nb\n#endif\n"
    assert dropped(text, A2) == "".join(text.split())


def test_nested_and_elif() -> None:
    text = "#ifdef __CCE_KT_TEST__\na\n#elif __CCE_AICORE__ == 220\n#if 0\nb\n#endif\nc\n#else\nd\n#endif\n"
    assert dropped(text, A2) == "c"


# ------------------------------------------------------------------ edits

PIECES = st.sampled_from(
    [
        "", "x", "(", ")", "{", "}", ";", "__aicore__ ", "__gm__", "_", "\n", "\r", "\r\n", "#if 1\n", "#endif\n",
        "#else\n", "\\", "template ", "<<<", ">>>", "return ", "OP_CHECK(", ", ", "float", "TILING_DATA_FIELD_DEF(",
        "END_TILING_DATA_DEF", "/*", "*/", '"', "注", "😀", "\f", "\u2028", "= {}", "ASCEND_IS_AIV", "...",
    ]
)  # fmt: skip


@settings(max_examples=120, deadline=None)
@given(
    st.sampled_from([KERNEL, HOST, KERNEL + HOST]),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), st.lists(PIECES, max_size=3)), min_size=1, max_size=6),
    st.booleans(),
)
def test_an_edited_file_equals_a_fresh_one(text: str, edits: list[tuple[float, int, list[str]]], resolve: bool) -> None:
    macros = A2 if resolve else None
    source = parse(text, macros)
    for where, length, pieces in edits:
        characters = source.data.decode()
        at = int(where * len(characters))
        start = len(characters[:at].encode())
        end = len(characters[: at + length].encode())
        source = source.with_edit(start, end, "".join(pieces))
        fresh = SourceFile.of(PATH, source.data, macros)
        assert source.masked == fresh.masked
        assert source.lines.starts == fresh.lines.starts
        assert source.dead == fresh.dead
        if not fresh.tree.root_node.has_error:
            assert str(source.tree.root_node) == str(fresh.tree.root_node)


def test_a_snapshot_does_not_change_with_its_successor() -> None:
    before = parse(KERNEL, A2)
    shape, data = str(before.tree.root_node), before.data
    after = before.with_edit(0, 0, "int z;\n")
    assert (str(before.tree.root_node), before.data) == (shape, data)
    assert after.data.startswith(b"int z;\n#include")


def test_an_edit_outside_the_text_is_refused() -> None:
    with pytest.raises(ValueError, match="outside a text of 6 bytes"):
        parse("int x;").with_edit(3, 99, "")


# ------------------------------------------------------------------ detection


def test_what_is_ascendc() -> None:
    assert is_ascendc(KERNEL)
    assert is_ascendc(HOST)
    assert is_ascendc("int main() {}", Path("run.asc"))
    assert not is_ascendc("#include <vector>\nint main() { return 0; }", Path("main.cpp"))


@pytest.mark.parametrize(
    "text",
    [
        "namespace ops {\nDEMO_OPDEF(HOST_CONFIG, UNARY, Exp, ge::DT_FLOAT16, ge::DT_BF16)\n}\n",
        "TEMPLATE_DECLARE\nclass Demo : public Base<ARGS> {};\n",
        "bool F() {\n    OP_CHECK(!Valid(c), , return false);\n    return true;\n}\n",
        'bool F() {\n    OP_CHECK(!All({a, b}), LOG(c, "none"), return false);\n    return true;\n}\n',
        "bool F() {\n    OP_CHECK(a, LOG("
        + "Name(a).Text(),\n        " * 40
        + "b),\n        return false);\n    return true;\n}\n",
    ],
)
def test_macros_that_are_no_expressions_leave_no_error(text: str) -> None:
    source = parse(text)
    assert not source.tree.root_node.has_error
    assert len(source.masked) == len(text)


def test_a_macro_body_keeps_its_macros() -> None:
    text = "#define BODY(x) \\\n    DEFINE_ONE(x)\n#define NEXT 1\n"
    assert b"DEFINE_ONE(x)" in parse(text).masked


def test_register_code_is_known_by_its_folder_and_by_its_words() -> None:
    assert is_register_code(Path("demo/op_kernel/arch35/demo.h"), b"")
    assert is_register_code(Path("demo/op_kernel/demo.h"), b"AscendC::MicroAPI::RegTensor<float> x;")
    assert not is_register_code(Path("demo/op_kernel/demo.h"), b"LocalTensor<float> x;")
    assert not is_register_code(Path("demo/op_host/arch35/demo_tiling.cpp"), b"")


def test_the_tree_of_broken_text_does_not_depend_on_the_edits_before() -> None:
    whole = "void F() {\n    if (a) {\n        b = (c;\n    }\n}\nclass X {\n    int y;\n};\n"
    source = parse(whole)
    for at in (10, 25, 3, 40):
        source = source.with_edit(at, at + 2, b"{")
        assert str(source.tree.root_node) == str(parse(source.data.decode()).tree.root_node)
