"""The layouts in which repositories keep an operator."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendopt.analysis.facts import analyse_file, analyse_operator
from ascendopt.analysis.facts.analyse import macros_of
from ascendopt.analysis.facts.events import InitBufferEvent
from ascendopt.analysis.operators import NotAnOperator, discover, find_operators
from ascendopt.analysis.source import SourceFile

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


KERNEL = (
    '#include "kernel_operator.h"\n#include "{include}"\nusing namespace AscendC;\n'
    'extern "C" __global__ __aicore__ void demo(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {{\n'
    "    TPipe pipe;\n    Core<DTYPE_X> core;\n    core.Init(&pipe);\n}}\n"
)
CORE = (
    "template <typename {name}>\nclass Core {{\n  public:\n"
    "    __aicore__ inline void Init(TPipe* pipe) {{ pipe->InitBuffer(work, {length} * sizeof({name})); }}\n"
    "  private:\n    TBuf<TPosition::VECCALC> work;\n}};\n"
)


@pytest.mark.parametrize("newer", ["demo_apt.cpp", "arch35/demo.cpp", "arch35/demo_apt.cpp"])
def test_each_chip_has_the_kernel_of_its_architecture(newer: str, tmp_path: Path) -> None:
    # Both files define the entry and include a header of one name, with a class of one name.
    write(
        tmp_path,
        {
            "demo/op_kernel/demo.cpp": KERNEL.format(include="demo_core.h"),
            "demo/op_kernel/demo_core.h": CORE.format(name="T", length=100),
            f"demo/op_kernel/{newer}": KERNEL.format(include="arch35/demo_core.h"),
            "demo/op_kernel/arch35/demo_core.h": CORE.format(name="U", length=300),
            "demo/op_host/demo_def.cpp": DEFINITION,
        },
    )
    operator = discover(tmp_path / "demo")
    assert len(operator.entries) == 2
    for soc, length, source in (("Ascend910B2", 400, "demo.cpp"), ("Ascend910_95", 1200, newer)):
        (instance,) = analyse_operator(operator, soc).kernel.instances
        (taken,) = instance.of(InitBufferEvent)
        assert taken.length.constant() == length
        assert instance.site.path == tmp_path / "demo/op_kernel" / source
    (opened,) = analyse_operator(discover(tmp_path / "demo/op_kernel" / newer), "Ascend910B2").kernel.instances
    assert opened.site.path.name == Path(newer).name


def test_a_project_of_several_operators(tmp_path: Path) -> None:
    """As `msopgen` lays it out: one op_host and one op_kernel for all operators of the project."""
    files = {
        "custom/CMakeLists.txt": "add_subdirectory(op_host)\n",
        "custom/op_host/demo.cpp": DEFINITION + TILING,
        "custom/op_host/other.cpp": (DEFINITION + TILING).replace("Demo", "Other").replace("DT_FLOAT", "DT_FLOAT16"),
        "custom/op_kernel/demo.cpp": KERNEL.format(include="core.h"),
        "custom/op_kernel/other.cpp": KERNEL.format(include="core.h").replace("void demo(", "void other("),
        "custom/op_kernel/core.h": CORE.format(name="T", length=100),
    }
    write(tmp_path, files)
    roots = list(find_operators(tmp_path))
    assert roots == [tmp_path / "custom/op_kernel/demo.cpp", tmp_path / "custom/op_kernel/other.cpp"]
    for root, tiling, length in zip(roots, ("TilingDemo", "TilingOther"), (400, 200), strict=True):
        operator = discover(root)
        assert operator.root == tmp_path / "custom"
        assert operator.tiling_functions == (tiling,)
        (instance,) = analyse_operator(operator, "Ascend910B2").kernel.instances
        assert [event.length.constant() for event in instance.of(InitBufferEvent)] == [length]


def test_a_project_that_is_named_after_its_operator_stays_whole(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "demo/op_host/demo.cpp": DEFINITION,
            "demo/op_host/other.cpp": DEFINITION.replace("Demo", "Other"),
            "demo/op_kernel/demo.cpp": ENTRY.format(include=""),
            "demo/op_kernel/other.cpp": ENTRY.format(include="").replace("void demo(", "void other("),
        },
    )
    assert list(find_operators(tmp_path)) == [tmp_path / "demo"]
    assert [entry.name for entry in discover(tmp_path / "demo").entries] == ["demo"]


def test_a_header_without_an_operator_is_read_alone(tmp_path: Path) -> None:
    header = tmp_path / "core.h"
    header.write_text(CORE.format(name="T", length=100))
    with pytest.raises(NotAnOperator, match="no __global__ function"):
        discover(header)
    model = analyse_file(SourceFile.of(header, header.read_bytes(), macros_of("Ascend910B2")), "Ascend910B2")
    (instance,) = model.instances
    assert instance.is_synthetic and instance.label == "Core"
    (taken,) = instance.of(InitBufferEvent)
    assert taken.length.text == "100 * sizeof(T)"
