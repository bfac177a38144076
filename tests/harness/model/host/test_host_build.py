"""Which sources are taken, what is cached, and what a failed build says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.devices.model.host_build import build_host
from ascendopt.harness.devices.model.host_sources import find_host_sources, operator_type
from ascendopt.harness.devices.model.toolchain import Toolchain

HERE = Path(__file__).parent
SOC = "Ascend910B2"


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def names(operator: Path, soc: str = SOC) -> list[str]:
    return [path.name for path in find_host_sources(operator, soc).files]


def test_glue_is_left_out(tmp_path: Path) -> None:
    host = tmp_path / "op" / "op_host"
    write(host / "op.cpp", "this->AICore().SetTiling(f);")
    write(host / "op_def.cc")
    write(host / "aclnn_op.cpp")
    write(host / "op_api" / "op.cpp")
    write(host / "op_l0.cpp", "namespace l0op { OP_TYPE_REGISTER(Op); }")
    write(host / "arch35" / "op_tiling.cpp")
    assert names(tmp_path / "op") == ["op.cpp", "op_def.cc"]
    assert names(tmp_path / "op", "Ascend950PR_9599") == ["op_tiling.cpp", "op.cpp", "op_def.cc"]


def test_shared_tiling_is_found_by_the_operators_type(tmp_path: Path) -> None:
    operator = tmp_path / "src" / "lists" / "list_twice"
    write(operator / "op_host" / "list_twice.cpp", "LIST_OPDEF(Twice)")
    shared = tmp_path / "src" / "common" / "src" / "tiling"
    write(shared / "a.cpp", "IMPL_OP_OPTILING(ListTwiceMore).Tiling(f);")
    write(shared / "b.cpp", "IMPL_OP_OPTILING( ListTwice ).Tiling(f);")
    include = tmp_path / "src" / "common" / "inc"
    include.mkdir()
    assert names(operator) == ["list_twice.cpp", "b.cpp"]
    assert include in find_host_sources(operator, SOC).includes


def test_an_operator_with_tiling_takes_nothing_shared(tmp_path: Path) -> None:
    operator = tmp_path / "src" / "list_twice"
    write(operator / "op_host" / "list_twice.cpp", "IMPL_OP_OPTILING(ListTwice).Tiling(f);")
    write(tmp_path / "src" / "common" / "src" / "b.cpp", "IMPL_OP_OPTILING(ListTwice)")
    assert names(operator) == ["list_twice.cpp"]


CMAKE = """
# target_sources(optiling PRIVATE op_host/commented.cpp)
file(GLOB_RECURSE EXTRA "${COMMON}/host/*.cc")
target_sources(optiling PRIVATE
    op_host/tiling.cpp   # the tiling
    ${EXTRA}
    ../other/op_host/borrowed.cpp)
target_sources(opsproto PRIVATE op_host/proto.cpp op_host/missing.cpp)
target_sources(op_host_aclnnInner PRIVATE "op_host/def.cpp")
target_sources(opapi PRIVATE op_host/launch.cpp)
target_include_directories(optiling PRIVATE ${CMAKE_SOURCE_DIR}/src/common/inc ${TOOLKIT}/include op_host/tiling.h)
"""


def test_a_build_file_names_the_sources(tmp_path: Path) -> None:
    operator = tmp_path / "src" / "kind" / "op"
    write(tmp_path / "CMakeLists.txt", "project(ops)\nset(COMMON ${CMAKE_CURRENT_SOURCE_DIR}/src/common)\n")
    write(operator / "CMakeLists.txt", CMAKE)
    for name in ("tiling.cpp", "proto.cpp", "def.cpp", "launch.cpp", "commented.cpp", "tiling.h"):
        write(operator / "op_host" / name)
    write(tmp_path / "src" / "kind" / "other" / "op_host" / "borrowed.cpp")
    write(tmp_path / "src" / "common" / "host" / "deep" / "shared.cc")
    include = tmp_path / "src" / "common" / "inc"
    include.mkdir()
    assert names(operator) == ["tiling.cpp", "shared.cc", "borrowed.cpp", "proto.cpp", "def.cpp"]
    assert include in find_host_sources(operator, SOC).includes


def test_a_build_file_names_what_links_beside_the_operator_hold(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere" / "shared.cc")
    root = tmp_path / "repository"
    write(root / "CMakeLists.txt", "project(ops)\n")
    write(
        root / "op" / "CMakeLists.txt", "file(GLOB SHARED ../common/*.cc)\ntarget_sources(optiling PRIVATE ${SHARED})\n"
    )
    write(root / "op" / "op_host" / "def.cpp", "OP_ADD(Op);")
    (root / "common").symlink_to(tmp_path / "elsewhere")
    assert names(root / "op") == ["shared.cc", "def.cpp"]


def test_a_build_file_without_tiling_sources_names_nothing(tmp_path: Path) -> None:
    write(tmp_path / "op" / "CMakeLists.txt", "target_sources(opsproto PRIVATE op_host/proto.cpp)")
    write(tmp_path / "op" / "op_host" / "proto.cpp")
    write(tmp_path / "op" / "op_host" / "tiling.cpp")
    assert names(tmp_path / "op") == ["proto.cpp", "tiling.cpp"]


def test_operator_types() -> None:
    assert operator_type("foreach_add_list") == "ForeachAddList"
    assert operator_type("sqrt") == "Sqrt"


def test_no_host_code_is_said(tmp_path: Path) -> None:
    with pytest.raises(DeviceFailure, match="has no op_host folder"):
        find_host_sources(tmp_path, SOC)
    (tmp_path / "op_host").mkdir()
    with pytest.raises(DeviceFailure, match=r"has no \.cpp file"):
        find_host_sources(tmp_path, SOC)


@pytest.mark.device
@pytest.mark.timeout(900)
def test_a_copy_comes_from_the_cache_and_a_changed_header_does_not(
    toolchain: Toolchain, every_form: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copied"
    shutil.copytree(HERE / "every_form", copy)
    assert build_host(copy, toolchain, toolchain.root, SOC) == every_form
    header = copy / "op_host" / "every_form_tiling.h"
    header.write_text(header.read_text().replace("kListLength = 3", "kListLength = 4"))
    assert build_host(copy, toolchain, toolchain.root, SOC) != every_form


@pytest.mark.device
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('#include "register/op_def_registry.h"\nint f() { return nothing; }\n', 2, "does not compile: 'nothing' was"),
        ('\n#include "toolkit/internal.h"\n', 2, "the host code includes toolkit/internal.h, which the model device"),
    ],
)
def test_compile_errors_name_the_place(toolchain: Toolchain, tmp_path: Path, text: str, line: int, says: str) -> None:
    source = write(tmp_path / "op" / "op_host" / "op.cpp", text)
    with pytest.raises(DeviceFailure) as caught:
        build_host(tmp_path / "op", toolchain, toolchain.root, SOC)
    failure = caught.value
    assert failure.stage == "compile"
    assert says in failure.reason
    assert (failure.file, failure.line) == (str(source), line)
    assert failure.log
