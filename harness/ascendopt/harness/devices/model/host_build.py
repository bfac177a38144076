"""Builds the host side of an operator, unmodified, into one shared object.

The object is linked against nothing: its registrations and API calls are resolved when the device's native
process loads it. It may import nothing else of that process. Every source file has a cached object of its own, so
operators that share tiling code compile it once.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.devices.model.cache import replacing
from ascendopt.harness.devices.model.confined_tools import readable_around
from ascendopt.harness.devices.model.elf import read_shared_object
from ascendopt.harness.devices.model.foreign_symbols import ForeignSymbol, foreign_to_host_code
from ascendopt.harness.devices.model.host_sources import HostSources, find_host_sources
from ascendopt.harness.devices.model.object_cache import ObjectCache, read_dependencies
from ascendopt.harness.devices.model.portable_names import portable_name, prefix_maps
from ascendopt.harness.devices.model.toolchain import NATIVE, Toolchain, headers_key
from ascendopt.harness.private_folders import PrivateFolder

INCLUDE = NATIVE / "include" / "host"
_API = INCLUDE / "asc_host" / "all.h"
_FLAGS = (
    "-std=c++17",
    "-O0",
    "-g1",
    "-fPIC",
    "-w",
    "-Wno-narrowing",
    "-DOP_TILING_LIB",
    '-DOPS_UTILS_LOG_SUB_MOD_NAME="OP_TILING"',
    '-DOPS_UTILS_LOG_PACKAGE_TYPE=""',
)
# The toolkit links tiling, shape inference and definitions to libraries of their own, so operators get away with a
# header that defines a function; here the first definition wins.
_LINK_OPTIONS = ("--allow-multiple-definition",)
_WHAT = "the host code"
_MISSING = re.compile(r": '?(?P<name>[^':\s]+)(?:: No such file or directory|' file not found)")


def build_host(operator: Path, toolchain: Toolchain, cache: Path, soc: str) -> Path:
    """The shared object of the operator's host side for chip ``soc``, from ``cache`` or freshly compiled.

    Raises DeviceFailure(stage="compile") with the first error, its file and line, and the compiler's log.
    """
    sources = find_host_sources(operator.resolve(), soc)
    objects = ObjectCache(cache / "host-objects", sources.operator, (NATIVE, Path("/usr"), toolchain.root / "pch"))
    api = headers_key(INCLUDE)
    built = [_object(sources, file, toolchain, objects, api) for file in sources.files]
    built += _optional(sources, sources.extras, toolchain, objects, api)
    folder = cache / "host"
    linked = _linked(built, toolchain, folder)
    if not sources.companions:
        return linked
    waiting = {
        companion: read_shared_object(_linked([companion], toolchain, folder)).exports
        for companion in _optional(sources, sources.companions, toolchain, objects, api)
    }
    while waiting:
        missing = read_shared_object(linked).imports
        helpful = [companion for companion, exports in waiting.items() if exports & missing]
        if not helpful:
            break
        built += helpful
        linked = _linked(built, toolchain, folder)
        waiting = {companion: exports for companion, exports in waiting.items() if companion not in helpful}
    return linked


def _linked(objects: list[Path], toolchain: Toolchain, folder: Path) -> Path:
    target = folder / f"{toolchain.key('host-checked', *(path.name for path in objects))}.so"
    if not target.exists():
        with replacing(target) as made:
            toolchain.link_shared(objects, made, what=_WHAT, options=_LINK_OPTIONS)
            _check(made, objects, toolchain)
    return target


def _check(linked: Path, objects: Sequence[Path], toolchain: Toolchain) -> None:
    """Refuse an object that reaches for more of the device than the API. Raises ForeignSymbol."""
    symbol = foreign_to_host_code(read_shared_object(linked).imports)
    if symbol is not None:
        with PrivateFolder(linked.parent, ".strict-") as scratch:
            raise ForeignSymbol(_WHAT, symbol, "host API").placed(toolchain, objects, scratch)


def _optional(
    sources: HostSources, files: Sequence[Path], toolchain: Toolchain, objects: ObjectCache, api: str
) -> list[Path]:
    """The objects of those files that compile: they are not part of the operator's own build."""
    built: list[Path] = []
    for file in files:
        with contextlib.suppress(DeviceFailure):
            built.append(_object(sources, file, toolchain, objects, api))
    return built


def _object(sources: HostSources, file: Path, toolchain: Toolchain, cache: ObjectCache, api: str) -> Path:
    key = toolchain.key(api, *_FLAGS, portable_name(file, sources.operator), file.read_bytes())
    if (found := cache.find(key)) is not None:
        return found
    with cache.scratch() as scratch:
        target, depfile = scratch / "host.o", scratch / "d"
        flags = [*_FLAGS, "-include", str(toolchain.precompiled(_API, _FLAGS, api)), f"-I{INCLUDE}"]
        flags += [f"-I{folder}" for folder in sources.includes]
        # A repository that brings logging headers of its own keeps them.
        flags += ["-idirafter", str(INCLUDE / "fallback"), "-MMD", "-MF", str(depfile)]
        flags += prefix_maps(sources.operator)
        reads = (*readable_around(sources.operator), *sources.includes)
        _compile(file, target, flags, toolchain, reads)
        return cache.store(key, target, read_dependencies(depfile))


def _compile(file: Path, target: Path, flags: list[str], toolchain: Toolchain, reads: Sequence[Path]) -> None:
    try:
        toolchain.compile_object(file, target, flags, what=_WHAT, reads=reads)
    except DeviceFailure as failure:
        missing = _MISSING.search(failure.reason)
        if missing is None:
            raise
        reason = f"{_WHAT} includes {missing['name']}, which the model device does not have."
        raise replace(failure, reason=reason) from None
