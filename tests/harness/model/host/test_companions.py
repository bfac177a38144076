"""Files that an operator's build file does not list, taken when its own files need them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.devices.model.elf import read_shared_object
from ascendopt.harness.devices.model.host_build import build_host
from ascendopt.harness.devices.model.host_sources import HostSources, find_host_sources
from ascendopt.harness.devices.model.toolchain import Toolchain

SOC = "Ascend910B2"


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def operator(tmp_path: Path) -> Path:
    """An operator that calls what a neighbour defines, beside a repository's build file."""
    write(tmp_path / "CMakeLists.txt", "project(ops)")
    operator, other = (tmp_path / "src" / "kind" / name for name in ("mine", "theirs"))
    listed = "target_sources(optiling PRIVATE op_host/mine.cpp)"
    write(operator / "CMakeLists.txt", listed)
    write(
        operator / "op_host" / "mine.cpp",
        '#include "../../theirs/op_host/theirs.h"\nint mine() { return theirs() + deep(); }\n// SetTiling(f)\n',
    )
    write(other / "CMakeLists.txt", "target_sources(optiling PRIVATE op_host/impl.cpp)")
    write(other / "op_host" / "theirs.h", "int theirs();\nint deep();\n")
    write(other / "op_host" / "theirs.cpp", "int theirs() { return 1; }\n")
    write(other / "op_host" / "impl.cpp", "int below();\nint deep() { return below(); }\n")
    write(other / "op_host" / "unrelated.h")
    return operator


def names(sources: HostSources) -> list[str]:
    return [path.name for path in sources.companions]


def test_sources_beside_included_headers_are_candidates(operator: Path) -> None:
    assert names(find_host_sources(operator, SOC)) == ["theirs.cpp", "impl.cpp"]


def test_a_definition_is_taken_whether_listed_or_not(operator: Path) -> None:
    definition = write(operator / "op_host" / "mine_def.cpp", "OP_ADD(Mine);\n")
    assert definition in find_host_sources(operator, SOC).files


@pytest.mark.device
@pytest.mark.timeout(900)
def test_those_that_define_something_missing_are_taken(operator: Path, toolchain: Toolchain) -> None:
    built = read_shared_object(build_host(operator, toolchain, toolchain.root, SOC))
    assert {"_Z4minev", "_Z6theirsv", "_Z4deepv"} <= built.exports
    assert "_Z5belowv" in built.imports  # nobody defines it: loading says so
    write(operator / "op_host" / "mine.cpp", '#include "../../theirs/op_host/theirs.h"\n// SetTiling(f)\n')
    assert "_Z6theirsv" not in read_shared_object(build_host(operator, toolchain, toolchain.root, SOC)).exports


def test_unlisted_tiling_and_inference_of_its_own(tmp_path: Path) -> None:
    operator = tmp_path / "op"
    write(operator / "CMakeLists.txt", "target_sources(optiling PRIVATE op_host/def.cpp)")
    write(operator / "op_host" / "def.cpp", "OP_ADD(Op)")
    write(operator / "op_host" / "tiling.cc", "IMPL_OP_OPTILING(Op).Tiling(f);")
    write(operator / "op_host" / "proto.cpp", "IMPL_OP_INFERSHAPE(Op).InferShape(g);")
    sources = find_host_sources(operator, SOC)
    assert [path.name for path in sources.files] == ["def.cpp", "tiling.cc"]
    assert [path.name for path in sources.extras] == ["proto.cpp"]


def test_unlisted_definition_of_its_own(tmp_path: Path) -> None:
    operator = tmp_path / "op"
    build = (
        "# target_sources(op_host_aclnn PRIVATE op_host/def.cpp)\ntarget_sources(optiling PRIVATE op_host/tiling.cpp)"
    )
    write(operator / "CMakeLists.txt", build)
    write(operator / "op_host" / "def.cpp", "OP_ADD(Op);")
    write(operator / "op_host" / "old_def.cpp", "// OP_ADD without arguments defines nothing\n")
    write(operator / "op_host" / "tiling.cpp", "IMPL_OP_OPTILING(Op).Tiling(f);")
    assert [path.name for path in find_host_sources(operator, SOC).files] == ["tiling.cpp", "def.cpp"]


def test_several_chips_are_refused(tmp_path: Path) -> None:
    source = write(tmp_path / "op" / "op_host" / "op.cpp", '#include "tiling/hccl/hccl_tiling.h"\n')
    with pytest.raises(DeviceFailure, match="communicates between chips") as caught:
        find_host_sources(tmp_path / "op", SOC)
    assert caught.value.file == str(source)
