"""Which files make the host side of an operator, and where their includes are looked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.devices.model.host_cmake import read_host_targets

_SUFFIXES = (".cpp", ".cc")
# Glue that calls the built operator from an application: not needed here, and full of toolkit internals. It is
# recognised by where it is, what it is called, or by what it does: launch the operator through an executor.
_GLUE_FOLDERS = frozenset({"op_api", "op_graph", "tests", "examples"})
_GLUE_PREFIX = "aclnn_"
_GLUE = re.compile(r"\baclOpExecutor\b|\bOP_TYPE_REGISTER\s*\(|\bADD_TO_LAUNCHER_LIST\w*\s*\(|\bnamespace\s+l0op\b")
_NEXT_GENERATION = "arch35"
_TILING_REGISTERED = re.compile(r"\bSetTiling\s*\(|\bIMPL_OP(?:_OPTILING)?\s*\(")
_MAX_ANCESTORS = 6


@dataclass(frozen=True)
class HostSources:
    """Source files of one operator's host side and the include folders beside the device's own headers."""

    operator: Path
    files: tuple[Path, ...]
    includes: tuple[Path, ...]


def find_host_sources(operator: Path, soc: str) -> HostSources:
    """The host sources of the operator folder: those that its build file lists, else those that lie in it.

    A folder whose own sources register no tiling function uses the shared one of its repository: the file
    under ``common/src`` of the nearest ancestor that registers the operator's type.
    Raises DeviceFailure(stage="compile").
    """
    folder = operator / "op_host"
    if not folder.is_dir():
        raise DeviceFailure("compile", f"{operator} has no op_host folder, so there is no host tiling to run")
    targets = read_host_targets(operator, _ancestors(operator))
    if targets is not None:
        files = tuple(path for path in targets.files if _for_chip(path.parts, soc))
        includes = _includes(operator, folder, list(files))
        return HostSources(operator, files, tuple(dict.fromkeys((*includes, *targets.includes))))
    own = sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES and _wanted(path, folder, soc))
    if not own:
        raise DeviceFailure("compile", f"{folder} has no .cpp file, so there is no host tiling to run")
    shared: list[Path] = []
    if not any(_TILING_REGISTERED.search(_text(path)) for path in own):
        shared = _shared_tiling(operator)
    return HostSources(operator, (*own, *shared), tuple(_includes(operator, folder, own)))


def operator_type(folder_name: str) -> str:
    """``foreach_add_list`` -> ``ForeachAddList``, the usual tie between folder and operator type."""
    return "".join(part.capitalize() for part in folder_name.split("_"))


def _wanted(path: Path, folder: Path, soc: str) -> bool:
    parts = path.relative_to(folder).parts
    if path.name.startswith(_GLUE_PREFIX) or _GLUE_FOLDERS.intersection(parts[:-1]) or _GLUE.search(_text(path)):
        return False
    return _for_chip(parts, soc)


def _for_chip(parts: tuple[str, ...], soc: str) -> bool:
    return _NEXT_GENERATION not in parts or soc.startswith(("Ascend950", "Ascend910_95"))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _ancestors(operator: Path) -> list[Path]:
    return list(operator.resolve().parents)[:_MAX_ANCESTORS]


def _shared_tiling(operator: Path) -> list[Path]:
    registration = re.compile(rf"\bIMPL_OP(?:_OPTILING)?\s*\(\s*{operator_type(operator.name)}\s*\)")
    for ancestor in _ancestors(operator):
        common = ancestor / "common" / "src"
        if not common.is_dir():
            continue
        candidates = sorted(path for path in common.rglob("*") if path.suffix in _SUFFIXES)
        return [path for path in candidates if registration.search(_text(path))][:1]
    return []


def _includes(operator: Path, folder: Path, own: list[Path]) -> list[Path]:
    found = [folder, *sorted({path.parent for path in own} - {folder}), operator]
    for ancestor in _ancestors(operator):
        for relative in ("common/inc", "common/include", "common"):
            candidate = ancestor / relative
            if candidate.is_dir():
                found.append(candidate)
    return found
