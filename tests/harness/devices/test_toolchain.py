"""What the build of the model device rests on: first errors, cached objects, the symbol check."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.devices.model.cache import cache_root, digest, locked, replacing
from ascendopt.harness.devices.model.compiler import ToolchainError, find_compiler
from ascendopt.harness.devices.model.elf import ElfError, read_shared_object
from ascendopt.harness.devices.model.kernel_source import find_kernel
from ascendopt.harness.devices.model.object_cache import ObjectCache, read_dependencies
from ascendopt.harness.devices.model.portable_names import located, portable_name, prefix_maps, relative_file
from ascendopt.harness.devices.model.toolchain import NATIVE, Diagnostic, Toolchain, first_error

GCC_TEMPLATE_ERROR = """\
In file included from /ours/api/vector.h:3,
                 from kernel.cpp:1:
/ours/api/binary.h: In instantiation of 'void Add(T) [with T = double]':
/op/op_kernel/a.cpp:41:12:   required from here
/ours/api/binary.h:9:5: error: static assertion failed: Add does not take double
"""
CLANG_ERROR = """\
/op/op_kernel/a.cpp:7:3: warning: unused variable
/op/op_kernel/a.h:12:9: fatal error: 'x.h' file not found
1 error generated.
"""


def test_error_in_our_headers_is_placed_at_the_call() -> None:
    assert first_error(GCC_TEMPLATE_ERROR, ours="/ours") == Diagnostic(
        "/op/op_kernel/a.cpp", 41, "static assertion failed: Add does not take double"
    )


def test_first_error_of_clang() -> None:
    assert first_error(CLANG_ERROR) == Diagnostic("/op/op_kernel/a.h", 12, "'x.h' file not found")


@pytest.mark.parametrize("log", ["", "Killed\n", "a.cpp:3:1: warning: nothing\n"])
def test_no_error(log: str) -> None:
    assert first_error(log) is None


def test_digest_separates_parts() -> None:
    assert digest(["ab", "c"]) != digest(["a", "bc"])
    assert digest(["ab"]) == digest([b"ab"])


def test_cache_root_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("ASCENDOPT_CACHE", raising=False)
    assert cache_root() == tmp_path / "ascendopt"
    monkeypatch.setenv("ASCENDOPT_CACHE", str(tmp_path / "here"))
    assert cache_root() == tmp_path / "here"


def test_failed_replacement_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text("old")
    with pytest.raises(RuntimeError), replacing(target) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_tool_that_makes_nothing_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text("old")
    with replacing(target) as made:
        assert list(made.parent.iterdir()) == []
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_lock_excludes_another_process(tmp_path: Path) -> None:
    script = (
        "import fcntl, sys\n"
        "with open(sys.argv[1], 'a') as file:\n"
        "    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
    )
    command = [sys.executable, "-I", "-c", script, str(tmp_path / "lock")]
    with locked(tmp_path / "lock"):
        assert subprocess.run(command, capture_output=True, check=False).returncode != 0
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def store(cache: ObjectCache, key: str, text: str, headers: list[Path]) -> Path:
    with cache.scratch() as scratch:
        output = scratch / "out.o"
        output.write_text(text)
        return cache.store(key, output, [str(header) for header in headers])


def test_object_is_found_while_its_headers_stay(tmp_path: Path) -> None:
    header = tmp_path / "op" / "a.h"
    header.parent.mkdir()
    header.write_text("1")
    cache = ObjectCache(tmp_path / "cache", tmp_path / "op")
    first = store(cache, "k", "one", [header])
    assert cache.find("k") == first and cache.find("other") is None
    header.write_text("2")
    assert cache.find("k") is None
    second = store(cache, "k", "two", [header])
    assert cache.find("k") == second != first
    header.write_text("1")
    assert cache.find("k") == first
    # A copy of the operator elsewhere has the same objects, unless its header differs.
    copy = tmp_path / "copy" / "a.h"
    copy.parent.mkdir()
    copy.write_text("2")
    assert ObjectCache(tmp_path / "cache", copy.parent).find("k") == second
    copy.unlink()
    assert ObjectCache(tmp_path / "cache", copy.parent).find("k") is None


def test_what_operators_share_is_found_beside_each_copy(tmp_path: Path) -> None:
    copies = [tmp_path / name / "src" / "op" for name in ("a", "b")]
    headers = [copy.parent / "common" / "shared.h" for copy in copies]
    for copy, header in zip(copies, headers, strict=True):
        copy.mkdir(parents=True)
        header.parent.mkdir()
        header.write_text("1")
    first = store(ObjectCache(tmp_path / "cache", copies[0]), "k", "one", headers[:1])
    other = ObjectCache(tmp_path / "cache", copies[1])
    assert other.find("k") == first
    headers[1].write_text("2")
    assert other.find("k") is None


def test_files_are_named_by_the_way_from_the_operator() -> None:
    operator = Path("/repository/src/add")
    for path, name in (
        ("/repository/src/add/op_kernel/../a.h", "./a.h"),
        ("/repository/src/common/a.h", "../common/a.h"),
        ("/repository/b.h", "../../b.h"),
        ("/usr/include/c.h", "/usr/include/c.h"),
        (str(NATIVE / "include" / "d.h"), str(NATIVE / "include" / "d.h")),
    ):
        assert portable_name(path, operator) == name
        assert located(name, operator) == Path(os.path.normpath(path))


def test_objects_name_what_lies_around_the_operator_as_every_copy_does(tmp_path: Path) -> None:
    operator = tmp_path / "repository" / "add"
    shared = operator.parent / "common" / "shared.h"
    for folder in (operator, shared.parent):
        folder.mkdir(parents=True)
    shared.write_text("inline const char* where() { return __FILE__; }\n")
    source = operator / "a.cpp"
    source.write_text('#include "../common/shared.h"\nconst char* names[] = {where(), __FILE__};\n')
    compiled = tmp_path / "a.o"
    command = [*find_compiler().argv, "-c", str(source), "-o", str(compiled), *prefix_maps(operator)]
    subprocess.run(command, check=True)
    names = sorted(set(re.findall(rb"/operator/[\w./]+", compiled.read_bytes())))
    assert [relative_file(name.decode(), operator) for name in names] == [str(shared), "a.cpp"]
    assert str(tmp_path).encode() not in compiled.read_bytes()


def test_dependency_file_with_spaces_and_continuations(tmp_path: Path) -> None:
    file = tmp_path / "d"
    file.write_text("a.o: src/a.cpp \\\n /with\\ space/b.h \\\n c.h\n")
    assert read_dependencies(file) == ["src/a.cpp", "/with space/b.h", "c.h"]


def kernel_folder(root: Path, text: str) -> Path:
    (root / "op_kernel").mkdir(parents=True)
    (root / "op_kernel" / "k.cpp").write_text(text)
    return root


def test_entry_is_the_one_called_like_the_operator(tmp_path: Path) -> None:
    text = (
        "// __global__ __aicore__ void commented(GM_ADDR x);\n"
        'extern "C" __global__ __aicore__ void other(GM_ADDR x) {}\n'
        'extern "C" __global__ __aicore__ void add_v2(GM_ADDR x) {}\n'
    )
    root = kernel_folder(tmp_path / "add_v2", text)
    found = find_kernel(root, "AddV2")
    assert (found.entry, found.relative) == ("add_v2", "op_kernel/k.cpp")
    with pytest.raises(DeviceFailure, match="other, add_v2"):
        find_kernel(root, "Mul")


def test_no_entry(tmp_path: Path) -> None:
    with pytest.raises(DeviceFailure, match="__global__"):
        find_kernel(kernel_folder(tmp_path / "x", "int a;"), "X")


def test_include_folders_of_cmake(tmp_path: Path) -> None:
    shared = tmp_path / "src" / "common" / "inc" / "family" / "op_kernel"
    shared.mkdir(parents=True)
    root = kernel_folder(tmp_path / "src" / "family" / "op", "__global__ __aicore__ void op() {}")
    (root / "CMakeLists.txt").write_text("OPTIONS -I${OP_COMMON_DIR}/inc/family/op_kernel -I${UNKNOWN}/x -Wall")
    assert shared in find_kernel(root, "Op").includes


def test_wrong_compiler_is_one_sentence() -> None:
    with pytest.raises(ToolchainError, match="no-such-compiler"):
        find_compiler("no-such-compiler")


@pytest.mark.parametrize("data", [b"", b"not elf", b"\x7fELF\x02\x01" + b"\xff" * 200, b"\x7fELF\x02\x01" + b"\0" * 10])
def test_damaged_objects_are_refused(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "x.so"
    file.write_bytes(data)
    with pytest.raises(ElfError):
        read_shared_object(file)


@pytest.mark.device
@pytest.mark.timeout(600)
def test_symbols_of_a_real_object(tmp_path: Path) -> None:
    source = tmp_path / "a.cpp"
    source.write_text(
        'extern "C" int needed(int);\nstruct S { S() { needed(1); } } s;\n'
        'extern "C" int given(int a) { return needed(a); }\nint hidden() { return 3; }\n'
    )
    toolchain = Toolchain(find_compiler())
    toolchain.compile_object(source, tmp_path / "a.o", ["-fPIC"], what="a.cpp")
    exports = tmp_path / "exports"
    exports.write_text("{ global: given; local: *; };\n")
    toolchain.link_shared([tmp_path / "a.o"], tmp_path / "a.so", what="a.cpp", exports=exports)
    found = read_shared_object(tmp_path / "a.so")
    assert "needed" in found.imports
    assert "given" in found.exports and not any("hidden" in name for name in found.exports)
    assert ".init_array" in found.load_time
