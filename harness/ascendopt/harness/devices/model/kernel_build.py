"""Compiles an operator's unmodified kernel against the device's own headers into a shared object.

A wrapper brings the API header first (precompiled), then the tiling structs and the dtype macros, then
includes the kernel's file, so that the file keeps its own line numbers. The object may import nothing but the
device's API and a few functions of the compiler's runtime, and may run nothing when it is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.devices.model.confined_tools import readable_around
from ascendopt.harness.devices.model.elf import ElfError, read_shared_object
from ascendopt.harness.devices.model.foreign_symbols import ForeignSymbol
from ascendopt.harness.devices.model.kernel_source import KernelSource
from ascendopt.harness.devices.model.object_cache import ObjectCache, read_dependencies
from ascendopt.harness.devices.model.portable_names import OPERATOR_ROOT, portable_name, prefix_maps
from ascendopt.harness.devices.model.toolchain import NATIVE, Toolchain, headers_key

INCLUDE = NATIVE / "include" / "kernel"
_FLAGS = (
    "-std=c++17",
    "-g1",
    "-gdwarf-4",  # binutils 2.40 mistakes the first file of a DWARF 5 line table for the unit's own
    "-fno-omit-frame-pointer",
    "-fPIC",
    "-fno-exceptions",
    "-fno-rtti",
    "-ffp-contract=off",
    "-fmax-errors=20",
    "-w",
)
# The macros that an operator's source may test with #if: the names of ge::DataType as numbers.
_DT = {
    "float32": ("float", "DT_FLOAT"),
    "float16": ("half", "DT_FLOAT16"),
    "bfloat16": ("bfloat16_t", "DT_BF16"),
    "float64": ("double", "DT_DOUBLE"),
    "bool": ("bool", "DT_BOOL"),
    "int4": ("int4b_t", "DT_INT4"),
    **{f"{u}int{n}": (f"{u}int{n}_t", f"DT_{u.upper()}INT{n}") for u in ("", "u") for n in (8, 16, 32, 64)},
}
_RUNTIME_IMPORTS = frozenset(
    (
        *("memcpy", "memset", "memmove", "memcmp", "__stack_chk_fail", "__cxa_pure_virtual"),
        *("__cxa_finalize", "__gmon_start__", "_ITM_registerTMCloneTable", "_ITM_deregisterTMCloneTable"),
        *("__cxa_guard_acquire", "__cxa_guard_release", "_GLOBAL_OFFSET_TABLE_", "__tls_get_addr"),
        *("__extendhfsf2", "__truncsfhf2", "__extendhfdf2", "__truncdfhf2", "__eqhf2", "__nehf2"),
        *("__extendhfxf2", "__truncxfhf2", "__truncsfbf2", "__divti3", "__udivti3", "__modti3", "__umodti3"),
        *(name + suffix for name in ("sqrt", "exp", "log", "pow", "fmod", "floor") for suffix in ("", "f")),
        *(name + suffix for name in ("ceil", "round", "trunc", "fmin", "fmax", "fabs") for suffix in ("", "f")),
    )
)


@dataclass(frozen=True)
class KernelVariant:
    """One compilation: dtype per OpDef tensor name, the tiling header's text, the chip's architecture number
    (``__NPU_ARCH__``), extra macros, and the optimisation level."""

    dtypes: Mapping[str, str]
    tiling_header: str
    npu_arch: int
    defines: Mapping[str, str]
    optimise: str = "-O0"


class KernelBuilder:
    """Builds kernels with one toolchain."""

    def __init__(self, toolchain: Toolchain) -> None:
        self._toolchain = toolchain

    def build(self, source: KernelSource, variant: KernelVariant) -> Path:
        """The shared object, from the cache or compiled now. Raises DeviceFailure(stage="compile")."""
        flags = (variant.optimise, *_FLAGS, *_arch_defines(variant.npu_arch), f"-I{INCLUDE}")
        wrapper = _wrapper_text(source, variant)
        cache = ObjectCache(self._toolchain.root / "kernels", source.operator, (NATIVE, Path("/usr")))
        includes = [portable_name(path, source.operator) for path in source.includes]
        text = source.file.read_bytes()
        key = self._toolchain.key(
            *flags, OPERATOR_ROOT, headers_key(INCLUDE), wrapper, variant.tiling_header, text, *includes
        )
        if (found := cache.find(key)) is not None:
            return found
        what = f"the kernel {source.entry}"
        with cache.scratch() as scratch:
            unit, output, depfile = scratch / "kernel.cpp", scratch / "kernel.so", scratch / "d"
            unit.write_text(wrapper, encoding="utf-8")
            (scratch / "tiling_structs.h").write_text(variant.tiling_header, encoding="utf-8")
            command = [*flags, *self._prefix(flags), "-MMD", "-MF", str(depfile)]
            command += [f"-I{path}" for path in source.includes]
            command += [*prefix_maps(source.operator), f"-ffile-prefix-map={scratch}=/scratch"]
            self._toolchain.compile_object(unit, scratch / "kernel.o", command, what=what, reads=_reads(source))
            exports = scratch / "exports"
            exports.write_text(f"{{ global: {source.entry}; local: *; }};\n")
            self._toolchain.link_shared([scratch / "kernel.o"], output, what=what, exports=exports)
            try:
                check_symbols(output, source)
            except ForeignSymbol as foreign:
                raise foreign.placed(self._toolchain, [scratch / "kernel.o"], scratch) from None
            headers = [path for path in read_dependencies(depfile) if not path.startswith(str(scratch))]
            return cache.store(key, output, [path for path in headers if "/pch/" not in path])

    def _prefix(self, flags: Sequence[str]) -> list[str]:
        header = self._toolchain.precompiled(INCLUDE / "kernel_operator.h", flags, headers_key(INCLUDE))
        return ["-include", str(header)]


def _reads(source: KernelSource) -> list[Path]:
    return [*readable_around(source.operator), *source.includes]


def _arch_defines(npu_arch: int) -> tuple[str, ...]:
    # __CCE_AICORE__ is the older name: 2201 -> 220, 1001 -> 100, 2002 -> 200, 3101 -> 310.
    return (f"-D__CCE_AICORE__={npu_arch // 10}", f"-D__NPU_ARCH__={npu_arch}")


def _wrapper_text(source: KernelSource, variant: KernelVariant) -> str:
    lines = ['#include "kernel_operator.h"', '#include "tiling_structs.h"']
    for name, dtype in variant.dtypes.items():
        ctype, number = _DT.get(dtype, (dtype, f"DT_{dtype.upper()}"))
        upper = name.upper()
        lines += [
            f"#define DTYPE_{upper} {ctype}",
            f"#define ORIG_DTYPE_{upper} {number}",
            f"#define FORMAT_{upper} FORMAT_ND",
        ]
    lines += [f"#define {name} {value}" for name, value in variant.defines.items()]
    if b"<<<" in source.file.read_bytes():
        # Such a file launches its own kernel, unless it is compiled for the CPU's test.
        lines.append("#define __CCE_KT_TEST__ 1")
    if not _defines_is_same(source):
        # Some operators say is_same without std::, others define their own beside `using namespace AscendC`.
        lines.append("namespace AscendC { using std::is_same; }")
    lines.append(f'#include "{source.relative}"')
    return "\n".join(lines) + "\n"


def _defines_is_same(source: KernelSource) -> bool:
    files = [source.file, *source.file.parent.rglob("*.h")]
    return any(b"struct is_same" in path.read_bytes() for path in files if path.is_file())


def check_symbols(shared: Path, source: KernelSource) -> None:
    """Reject an object that reaches outside of the device's API. Raises DeviceFailure(stage="compile")."""
    try:
        found = read_shared_object(shared)
    except ElfError as error:
        raise DeviceFailure("compile", f"the kernel's object can't be read: {error}.") from error
    foreign = sorted(name for name in found.imports if not name.startswith("asc_") and name not in _RUNTIME_IMPORTS)
    if foreign:
        raise ForeignSymbol("the kernel", foreign[0], "AscendC API", source.relative)
    if forged := sorted(name for name in found.exports if name.startswith("asc_")):
        raise DeviceFailure("compile", f"the kernel defines {forged[0]}, a name of the device.", source.relative)
    if found.load_time:
        raise DeviceFailure(
            "compile",
            "the kernel has a global object with a constructor or destructor, which a chip does not run.",
            source.relative,
        )
    if source.entry not in found.exports:
        raise DeviceFailure("compile", f'the kernel entry {source.entry} is not declared extern "C".', source.relative)
