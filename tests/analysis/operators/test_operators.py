"""Discovery, OpDef, tiling structs, on an operator written here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ascendopt.analysis.operators import Layout, NotAnOperator, discover, find_operators, parse_entries, to_snake
from ascendopt.analysis.operators.opdef import parse_opdefs
from ascendopt.analysis.operators.tiling_structs import parse_tiling_structs

HOST = """\
#include "halve_rows_tiling.h"
namespace optiling {
static ge::graphStatus HalveTiling(gert::TilingContext* context) { return ge::GRAPH_SUCCESS; }
}
namespace ops {
class HalveRows : public OpDef {
public:
    explicit HalveRows(const char* name) : OpDef(name)
    {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT /* wide */})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("bias").ParamType(OPTIONAL).DataType({ge::DT_FLOAT, ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
        // this->Output("gone").ParamType(REQUIRED);
        this->Attr("eps").AttrType(OPTIONAL).Float(1e-6);
        this->Attr("axis").Int();
        this->AICore().SetTiling(optiling::HalveTiling).AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};
OP_ADD(HalveRows);
}
"""
TILING = """\
constexpr uint32_t MOST = 8;
BEGIN_TILING_DATA_DEF(HalveRowsTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF_ARR(uint64_t, MOST, starts);
TILING_DATA_FIELD_DEF_STRUCT(CubeTiling, cube);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(HalveRows, HalveRowsTilingData)
"""
KERNEL = """\
#include "halve_rows_impl.h"
#include "shared_helper.h"
extern "C" __global__ __aicore__ void halve_rows(GM_ADDR x, GM_ADDR bias, GM_ADDR y, GM_ADDR ws, GM_ADDR tiling)
{
    GET_TILING_DATA(t, tiling);
}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repo" / "norm" / "halve_rows"
    files = {
        "op_host/halve_rows.cpp": HOST,
        "op_host/halve_rows_tiling.h": TILING,
        "op_kernel/halve_rows.cpp": KERNEL,
        "op_kernel/halve_rows_impl.h": "#pragma once\n",
        "op_kernel/not_included.h": "#pragma once\n",
        "../../common/inc/shared_helper.h": "#pragma once\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize("inside", ["", "op_host", "op_kernel/halve_rows_impl.h", "op_host/halve_rows.cpp"])
def test_an_operator_is_found_from_any_of_its_paths(root: Path, inside: str) -> None:
    operator = discover(root / inside)
    assert (operator.name, operator.root, operator.layout) == ("halve_rows", root, Layout.PROJECT)
    assert [path.name for path in operator.kernel_files] == [
        "halve_rows.cpp",
        "halve_rows_impl.h",
        "shared_helper.h",
    ]
    assert [path.name for path in operator.host_files] == ["halve_rows.cpp", "halve_rows_tiling.h"]
    assert operator.tiling_functions == ("HalveTiling",)
    assert [name for _, name in operator.entries[0].parameters] == ["x", "bias", "y", "ws", "tiling"]


def test_the_definition(root: Path) -> None:
    definition = discover(root).definition
    assert definition is not None
    assert definition.name == "HalveRows"
    assert [(port.name, port.kind, port.dtypes) for port in definition.inputs] == [
        ("x", "required", ("float16", "float32")),
        ("bias", "optional", ("float32", "float32")),
    ]
    assert [port.name for port in definition.outputs] == ["y"]
    assert definition.columns() == (
        (("x", "float16"), ("bias", "float32"), ("y", "float16")),
        (("x", "float32"), ("bias", "float32"), ("y", "float32")),
    )
    assert [(attr.name, attr.type, attr.default, attr.required) for attr in definition.attrs] == [
        ("eps", "Float", "1e-6", False),
        ("axis", "Int", None, True),
    ]
    assert definition.socs == ("ascend910b", "ascend910_93")
    text = HOST.encode()
    assert text[definition.span.start :].startswith(b"class HalveRows")


def test_the_tiling_struct(root: Path) -> None:
    (struct,) = discover(root).tiling_structs
    assert (struct.name, struct.ops) == ("HalveRowsTilingData", ("HalveRows",))
    assert [(f.name, f.type, f.length, f.is_struct) for f in struct.fields] == [
        ("rows", "uint32_t", 1, False),
        ("starts", "uint64_t", 8, False),
        ("cube", "CubeTiling", 1, True),
    ]
    span = struct.fields[0].span
    assert TILING[span.start : span.end] == "rows"


def test_operators_below_a_folder(root: Path) -> None:
    assert list(find_operators(root.parent.parent)) == [root]


def test_a_single_launch_source(tmp_path: Path) -> None:
    source = tmp_path / "run.asc"
    source.write_text(
        "struct ScaleTiling { uint32_t n; float by; };\n"
        "__global__ __aicore__ void scale(GM_ADDR x, ScaleTiling t) {}\n"
        "void go(void* s, ScaleTiling t) { scale<<<8, nullptr, s>>>(nullptr, t); }\n"
    )
    operator = discover(source)
    assert (operator.name, operator.layout, operator.definition) == ("scale", Layout.SINGLE, None)
    assert [field.name for field in operator.tiling_structs[0].fields] == ["n", "by"]
    assert discover(tmp_path) == operator


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("gone.cpp", None, "no such file or folder"),
        ("notes.txt", b"hello", "not a C++ or AscendC source"),
        ("empty.cpp", b"", "empty, binary or unreadable"),
        ("image.cpp", b"\0\1\2", "empty, binary or unreadable"),
        ("plain.cpp", b"int main() { return 0; }", "no __global__ function"),
    ],
)
def test_what_is_not_an_operator(tmp_path: Path, name: str, content: bytes | None, sentence: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(NotAnOperator, match=re.escape(sentence)):
        discover(path)


def test_a_folder_without_an_operator(tmp_path: Path) -> None:
    with pytest.raises(NotAnOperator, match="no operator here"):
        discover(tmp_path)


def test_a_macro_definition_gives_at_least_the_name() -> None:
    (definition,) = parse_opdefs(Path("d.cpp"), "FOREACH_OPDEF(HOST_CONFIG, UNARY, Exp, ge::DT_FLOAT16, ge::DT_BF16)\n")
    assert (definition.name, definition.is_macro) == ("ForeachExp", True)
    assert definition.macro_dtypes == ("float16", "bfloat16")


def test_entries_with_launch_qualifiers_and_declarations() -> None:
    text = (
        "__global__ __aicore__ void later(GM_ADDR x);\n"
        "// __global__ void commented(GM_ADDR x) {}\n"
        "template <typename T> __global__ __mix__(1, 2) __aicore__ void mixed(GM_ADDR x, int32_t n) {}\n"
    )
    entries = parse_entries(Path("k.cpp"), text)
    assert [entry.name for entry in entries] == ["mixed"]
    assert text[entries[0].span.start : entries[0].span.end] == "mixed"


def test_names() -> None:
    assert to_snake("AddCustom") == "add_custom"
    assert to_snake("RmsNorm") == "rms_norm"
    assert parse_tiling_structs(Path("t.h"), "struct Point { int x; };") == []
