"""The layouts in which repositories keep an operator."""

from __future__ import annotations

from pathlib import Path

from ascendopt.analysis.facts import analyse_operator
from ascendopt.analysis.operators import discover, find_operators

ENTRY = (
    '#include "kernel_operator.h"\n{include}'
    'extern "C" __global__ __aicore__ void demo(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {{}}\n'
)
DEFINITION = (
    "class Demo : public OpDef {\n  public:\n    explicit Demo(const char* name) : OpDef(name) {\n"
    '        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});\n    }\n};\nOP_ADD(Demo);\n'
)
TILING = (
    "static ge::graphStatus TilingDemo(gert::TilingContext* context) {\n    context->SetBlockDim(8);\n"
    "    return ge::GRAPH_SUCCESS;\n}\nIMPL_OP_OPTILING(Demo).Tiling(TilingDemo);\n"
)


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_architectures_in_folders_of_their_own(tmp_path: Path) -> None:
    files = {
        "demo/op_kernel/demo_apt.cpp": ENTRY.format(include='#include "arch35/demo_core.h"\n'),
        "demo/op_kernel/arch35/demo_core.h": "class Core {};\n",
        "demo/op_host/demo_def.cpp": DEFINITION,
        "demo/op_host/op_tiling/arch35/demo_tiling.cpp": TILING,
    }
    write(tmp_path, files)
    for inside in ("demo", "demo/op_kernel/arch35/demo_core.h", "demo/op_host/op_tiling/arch35/demo_tiling.cpp"):
        operator = discover(tmp_path / inside)
        found = {path.relative_to(tmp_path).as_posix() for path in (*operator.kernel_files, *operator.host_files)}
        assert found == set(files), inside
        assert operator.tiling_functions == ("TilingDemo",)
        assert operator.definition is not None and operator.definition.name == "Demo"


def test_a_launched_source_is_found_from_the_folder_above(tmp_path: Path) -> None:
    launch = "void Run() { demo<<<8, nullptr, stream>>>(x, y, w, t); }\n"
    write(
        tmp_path,
        {
            "a/launch.cpp": ENTRY.format(include="") + launch,
            "b/main.cpp": "int main() { return 0; }\n",
            "c/declared.cpp": 'extern "C" __global__ __aicore__ void demo(GM_ADDR x);\n',
            "d/one.asc": ENTRY.format(include="") + launch,
        },
    )
    assert list(find_operators(tmp_path)) == [tmp_path / "a/launch.cpp", tmp_path / "d/one.asc"]


def test_long_chains_of_else_if(tmp_path: Path) -> None:
    for arms in (150, 500):
        chain = " else ".join(f"if (mode == {number}) {{ PipeBarrier<PIPE_ALL>(); }}" for number in range(arms))
        text = f'#include "kernel_operator.h"\nextern "C" __global__ __aicore__ void demo(int mode) {{ {chain} }}\n'
        path = tmp_path / f"chain{arms}.asc"
        path.write_text(text)
        (instance,) = analyse_operator(discover(path), "Ascend910B2").kernel.instances
        assert instance.complete is (arms == 150)
