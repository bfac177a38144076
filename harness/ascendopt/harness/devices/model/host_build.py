"""Builds the host side of an operator, unmodified, into one shared object.

The object is linked against nothing: its registrations and API calls are resolved when the device's native
process loads it. Objects are cached by content: the source, every header that the compiler read, the flags and
the compiler.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import cast

from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.devices.model.cache import replacing, write_atomically
from ascendopt.harness.devices.model.host_sources import HostSources, find_host_sources
from ascendopt.harness.devices.model.toolchain import Toolchain

INCLUDE = Path(__file__).parent / "native" / "include" / "host"
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
_WHAT = "the host code"
_MISSING = re.compile(r": '?(?P<name>[^':\s]+)(?:: No such file or directory|' file not found)")


def build_host(operator: Path, toolchain: Toolchain, cache: Path, soc: str) -> Path:
    """The shared object of the operator's host side for chip ``soc``, from ``cache`` or freshly compiled.

    Each source file has a cached object of its own, so operators that share tiling code compile it once.
    Raises DeviceFailure(stage="compile") with the first error, its file and line, and the compiler's log.
    """
    sources = find_host_sources(operator.resolve(), soc)
    api = _api_hash()
    objects = [_object(sources, file, toolchain, cache, api) for file in sources.files]
    key = toolchain.key("host-so-1", *(f"{path.parent.name}/{path.name}" for path in objects))
    target = cache / "host" / f"{key}.so"
    if not target.exists():
        with replacing(target) as temporary:
            toolchain.link_shared(objects, temporary, what=_WHAT)
    return target


def _object(sources: HostSources, file: Path, toolchain: Toolchain, cache: Path, api: str) -> Path:
    slot = (
        cache / "host-objects" / toolchain.key("host-1", api, *_FLAGS, _name(file, sources.operator), file.read_bytes())
    )
    found = _lookup(slot, sources)
    if found is not None:
        return found
    slot.mkdir(parents=True, exist_ok=True)
    prefix = ["-include", str(toolchain.precompiled(_API, _FLAGS, api))]
    prefix += [f"-I{INCLUDE}", *(f"-I{folder}" for folder in sources.includes)]
    # A repository that brings logging headers of its own keeps them.
    prefix += ["-idirafter", str(INCLUDE / "fallback")]
    with tempfile.TemporaryDirectory(dir=slot) as scratch:
        target = Path(scratch) / "host.o"
        _compile(sources, file, target, prefix, toolchain)
        return _store(slot, sources, target, _read_listing(target.with_suffix(".d")) - {file})


def _compile(sources: HostSources, file: Path, target: Path, prefix: list[str], toolchain: Toolchain) -> None:
    # Cached objects serve any copy of the same text, so paths inside the operator are relative in them.
    flags = [
        *_FLAGS,
        *prefix,
        f"-ffile-prefix-map={sources.operator}=.",
        "-MMD",
        "-MF",
        str(target.with_suffix(".d")),
    ]
    try:
        toolchain.compile_object(file, target, flags, what=_WHAT)
    except DeviceFailure as failure:
        missing = _MISSING.search(failure.reason)
        if missing is None:
            raise
        reason = f"{_WHAT} includes {missing['name']}, which the model device does not have."
        raise replace(failure, reason=reason) from None


def _read_listing(listing: Path) -> set[Path]:
    """Files that a make-style dependency listing names."""
    text = listing.read_text(encoding="utf-8").replace("\\\n", " ")
    names = re.findall(r"(?:\\.|[^\s\\])+", text.partition(": ")[2])
    return {Path(name.replace("\\ ", " ")) for name in names}


def _api_hash() -> str:
    digest = hashlib.sha256()
    for header in sorted(INCLUDE.rglob("*.h")):
        digest.update(str(header.relative_to(INCLUDE)).encode() + b"\0" + header.read_bytes() + b"\0")
    return digest.hexdigest()


def _name(file: Path, operator: Path) -> str:
    """A file's name in the cache: relative to the operator where it lies inside it."""
    path = Path(os.path.normpath(file))
    return f"./{path.relative_to(operator)}" if path.is_relative_to(operator) else str(path)


def _hash(file: Path) -> str | None:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return None


def _lookup(slot: Path, sources: HostSources) -> Path | None:
    """An object of the slot whose headers all still have the text that it was compiled from."""
    for manifest in sorted(slot.glob("*.json")):
        headers = cast("dict[str, str]", json.loads(manifest.read_text(encoding="utf-8")))
        built = manifest.with_suffix(".o")
        if built.exists() and all(
            _hash(sources.operator / name if name.startswith("./") else Path(name)) == text
            for name, text in headers.items()
        ):
            return built
    return None


def _store(slot: Path, sources: HostSources, built: Path, dependencies: set[Path]) -> Path:
    headers: dict[str, str] = {}
    for file in sorted(dependencies):
        text = None if file.is_relative_to(INCLUDE) else _hash(file)
        if text is not None and not file.is_relative_to("/usr"):
            headers[_name(file, sources.operator)] = text
    document = json.dumps(headers, sort_keys=True)
    target = slot / f"{hashlib.sha256(document.encode()).hexdigest()[:24]}.o"
    built.replace(target)
    write_atomically(target.with_suffix(".json"), document)
    return target
