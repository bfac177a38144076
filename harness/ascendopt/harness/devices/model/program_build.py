"""Compiles a kernel-launch source, host code and kernels in one, against the device's own headers.

The file and the sources beside it are copied with their launches rewritten (``launch_source``) and compiled once.
Nothing but ``main`` is visible of the object, and nothing of the process that runs it may be called but the API. What
else it may do is limited where it runs, not here: host code uses the C++ library.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.devices.model.confined_tools import readable_around
from ascendopt.harness.devices.model.elf import ElfError, read_shared_object
from ascendopt.harness.devices.model.foreign_symbols import ForeignSymbol, foreign_to_program
from ascendopt.harness.devices.model.launch_source import KernelHead, find_kernels, rewrite_launches
from ascendopt.harness.devices.model.object_cache import ObjectCache, read_dependencies
from ascendopt.harness.devices.model.portable_names import OPERATOR_ROOT, prefix_maps
from ascendopt.harness.devices.model.toolchain import NATIVE, Toolchain, headers_key

INCLUDES = tuple(NATIVE / "include" / name for name in ("program", "kernel", "host"))
_API = NATIVE / "include" / "program" / "asc_program.h"
_FLAGS = (
    "-std=c++17",
    "-O1",
    "-g1",
    "-fno-omit-frame-pointer",
    "-fno-optimize-sibling-calls",
    "-fPIC",
    "-ffp-contract=off",
    "-fmax-errors=20",
    "-w",
    "-DASC_PROGRAM",
)
_SUFFIXES = frozenset({".asc", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".inc"})
_MAX_FILES = 400
_MAX_BYTES = 8 << 20
_WHAT = "the program"


@dataclass(frozen=True)
class Program:
    """A compiled program and the kernels that its sources name."""

    shared: Path
    kernels: Mapping[str, KernelHead]


def build_program(source: Path, npu_arch: int, defines: Mapping[str, str], toolchain: Toolchain) -> Program:
    """The object of ``source``, from the cache or compiled now. Raises DeviceFailure(stage="compile")."""
    folder = source.parent
    texts = _read_sources(source)
    kernels: dict[str, KernelHead] = {}
    for text in texts.values():
        kernels |= find_kernels(text)
    if not kernels:
        raise DeviceFailure("compile", f"{source.name} and the files beside it define no __global__ kernel.")
    flags = [*_FLAGS, f"-D__CCE_AICORE__={npu_arch // 10}", f"-D__NPU_ARCH__={npu_arch}"]
    flags += [f"-I{path}" for path in INCLUDES]
    wrapper = "".join(f"#define {name} {value}\n" for name, value in sorted(defines.items()))
    wrapper += f'#include "operator/{source.name}"\n'
    api = headers_key(*INCLUDES)
    key = toolchain.key("checked", *flags, wrapper, api, *(part for item in texts.items() for part in item))
    cache = ObjectCache(toolchain.root / "programs", folder, (NATIVE, Path("/usr")))
    if (found := cache.find(key)) is not None:
        return Program(found, kernels)
    with cache.scratch() as scratch:
        for name, text in texts.items():
            place = scratch / "operator" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            rewritten = rewrite_launches(text, kernels)
            place.write_text(rewritten, encoding="utf-8", errors="surrogateescape")
        unit, output, depfile = scratch / "program.cpp", scratch / "program.so", scratch / "d"
        unit.write_text(wrapper, encoding="utf-8")
        copy = scratch / "operator"
        header = toolchain.precompiled(_API, flags, api)
        command = [*flags, "-include", str(header), "-MMD", "-MF", str(depfile)]
        # Relative includes that leave the folder are looked for where it really is.
        command += ["-iquote", str(folder), "-iquote", str(copy)]
        command += [*prefix_maps(folder), f"-ffile-prefix-map={scratch}=/scratch"]
        command.append(f"-ffile-prefix-map={copy}={OPERATOR_ROOT}")
        try:
            toolchain.compile_object(unit, scratch / "program.o", command, what=_WHAT, reads=readable_around(folder))
        except DeviceFailure as failure:
            if failure.file is not None:
                failure.file = os.path.normpath(failure.file).replace(f"{copy}{os.sep}", f"{folder}{os.sep}")
            raise
        exports = scratch / "exports"
        exports.write_text("{ global: main; local: *; };\n")
        toolchain.link_shared([scratch / "program.o"], output, what=_WHAT, exports=exports)
        try:
            _check(output, source)
        except ForeignSymbol as foreign:
            raise foreign.placed(toolchain, [scratch / "program.o"], scratch) from None
        headers = [path for path in read_dependencies(depfile) if not path.startswith(str(scratch))]
        return Program(cache.store(key, output, [path for path in headers if "/pch/" not in path]), kernels)


def _read_sources(source: Path) -> dict[str, str]:
    """The source and everything below its folder that it may include, by relative POSIX path."""
    texts: dict[str, str] = {source.name: _read(source)}
    size = len(texts[source.name])
    for path in sorted(source.parent.rglob("*")):
        if path.suffix not in _SUFFIXES or path == source or not path.is_file():
            continue
        text = _read(path)
        size += len(text)
        if len(texts) >= _MAX_FILES or size > _MAX_BYTES:
            break
        texts[path.relative_to(source.parent).as_posix()] = text
    return texts


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="surrogateescape")


def _check(shared: Path, source: Path) -> None:
    try:
        found = read_shared_object(shared)
    except ElfError as error:
        raise DeviceFailure("compile", f"the program's object can't be read: {error}.") from error
    if (symbol := foreign_to_program(found.imports)) is not None:
        raise ForeignSymbol(_WHAT, symbol, "AscendC API", source.name)
    if "main" not in found.exports:
        raise DeviceFailure("compile", "the program has no function main, so there is nothing to run.", source.name)
