"""Which files make the host side of an operator, and where their includes are looked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.devices.model.host_cmake import read_host_targets
from ascendopt.harness.devices.model.host_companions import find_companions

_SUFFIXES = (".cpp", ".cc")
# Glue that calls the built operator from an application: not needed here, and full of toolkit internals. It is
# recognised by where it is, what it is called, or by what it does: launch the operator through an executor.
_GLUE_FOLDERS = frozenset({"op_api", "op_graph", "tests", "examples"})
_GLUE_PREFIX = "aclnn_"
_GLUE = re.compile(r"\baclOpExecutor\b|\bOP_TYPE_REGISTER\s*\(|\bADD_TO_LAUNCHER_LIST\w*\s*\(|\bnamespace\s+l0op\b")
_NEXT_GENERATION = "arch35"
_TILING_REGISTERED = re.compile(r"\bSetTiling\s*\(|\bIMPL_OP(?:_OPTILING)?\s*\(")
_DEFINED = re.compile(r"\bOP_ADD\s*\(")
_INFERENCE_REGISTERED = re.compile(r"\bSetInferShape\s*\(|\bIMPL_OP_INFERSHAPE\s*\(|\.\s*InferShape\s*\(")
_SEVERAL_CHIPS = re.compile(r"#\s*include\s*[<\"][^>\"]*\bhccl")
_MAX_ANCESTORS = 6


@dataclass(frozen=True)
class HostSources:
    """Source files of one operator's host side and the include folders beside the device's own headers.

    ``extras`` are not part of the build but register what its files do not; they are taken if they compile.
    ``companions`` may define what the files only declare; they are taken if they do.
    """

    operator: Path
    files: tuple[Path, ...]
    includes: tuple[Path, ...]
    extras: tuple[Path, ...] = ()
    companions: tuple[Path, ...] = ()


def find_host_sources(operator: Path, soc: str) -> HostSources:
    """The host sources of the operator folder: those that its build file lists, else those that lie in it.

    A folder whose own sources register no tiling function uses the shared one of its repository: the file
    under ``common/src`` of the nearest ancestor that registers the operator's type. A build file that lists no
    definition of an operator gets the folder's own.
    Raises DeviceFailure(stage="compile").
    """
    folder = operator / "op_host"
    if not folder.is_dir():
        raise DeviceFailure("compile", f"{operator} has no op_host folder, so there is no host tiling to run")
    own = sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES and _wanted(path, folder, soc))
    ancestors = _ancestors(operator)
    targets = read_host_targets(operator, ancestors)
    listed = own
    if targets:
        listed = [path for path in targets.files if _for_chip(path.parts, soc) and not _is_glue(path)]
    if not listed:
        raise DeviceFailure("compile", f"{folder} has no .cpp file, so there is no host tiling to run")
    files, extras = list(listed), list[Path]()
    if not _any(listed, _TILING_REGISTERED):
        unlisted = [path for path in own if path not in listed and _TILING_REGISTERED.search(_text(path))]
        files += unlisted or _shared_tiling(operator)
    if not _any(files, _DEFINED):
        files += [path for path in own if path not in files and _DEFINED.search(_text(path))]
    if not _any(files, _INFERENCE_REGISTERED):
        extras = [path for path in own if path not in files and _INFERENCE_REGISTERED.search(_text(path))]
    several = next((path for path in files if _SEVERAL_CHIPS.search(_text(path))), None)
    if several is not None:
        reason = "the operator communicates between chips (hccl); the model device is one chip."
        raise DeviceFailure("compile", reason, str(several))
    includes = _unique([*_includes(operator, folder, files), *(targets.includes if targets else ())])
    companions = [path for path in find_companions(operator, files, includes, ancestors) if not _is_glue(path)]
    return HostSources(operator, tuple(files), includes, tuple(extras), tuple(companions))


def operator_type(folder_name: str) -> str:
    """``foreach_add_list`` -> ``ForeachAddList``, the usual tie between folder and operator type."""
    return "".join(part.capitalize() for part in folder_name.split("_"))


def _wanted(path: Path, folder: Path, soc: str) -> bool:
    parts = path.relative_to(folder).parts
    return not _GLUE_FOLDERS.intersection(parts[:-1]) and not _is_glue(path) and _for_chip(parts, soc)


def _is_glue(path: Path) -> bool:
    return path.name.startswith(_GLUE_PREFIX) or _GLUE.search(_text(path)) is not None


def _for_chip(parts: tuple[str, ...], soc: str) -> bool:
    return _NEXT_GENERATION not in parts or soc.startswith(("Ascend950", "Ascend910_95"))


def _any(files: Sequence[Path], pattern: re.Pattern[str]) -> bool:
    return any(pattern.search(_text(path)) for path in files)


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
        return [path.resolve() for path in candidates if registration.search(_text(path))][:1]
    return []


def _includes(operator: Path, folder: Path, files: Sequence[Path]) -> list[Path]:
    own = {path.parent for path in files if path.is_relative_to(operator)}
    found = [folder, *sorted(own - {folder}), operator]
    for ancestor in _ancestors(operator):
        for relative in ("common/inc", "common/include", "common"):
            candidate = ancestor / relative
            if candidate.is_dir():
                # Where a copy of the operator links to the repository, the repository's own name keeps caches valid.
                found.append(candidate.resolve())
    return found


def _unique(paths: Sequence[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(paths))
