"""Finds the kernel source of an operator, its entry function and its include folders."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ascendopt.harness.devices.base import DeviceFailure

_ENTRY = re.compile(
    r"\b__global__\s+(?:__aicore__\s+)?(?:\[aicore\]\s+)?(?:__inline__\s+)?void\s+(?:__aicore__\s+)?(\w+)\s*\("
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_SUFFIXES = (".cpp", ".cc")
_INCLUDE_OPTION = re.compile(r"-I\s*([^\s)\"]+)")
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_MAX_ANCESTORS = 6


@dataclass(frozen=True)
class KernelSource:
    """The kernel of one operator: ``file`` defines ``entry``; paths are absolute."""

    operator: Path
    file: Path
    entry: str
    includes: tuple[Path, ...]

    @property
    def relative(self) -> str:
        """``file`` relative to the operator's folder, with POSIX separators."""
        return self.file.relative_to(self.operator).as_posix()


def find_kernel(operator: Path, op: str) -> KernelSource:
    """The kernel of OpDef ``op``: the file whose entry is called like it (``AddCustom`` -> ``add_custom``).

    Raises DeviceFailure(stage="compile").
    """
    folder = operator / "op_kernel"
    if not folder.is_dir():
        raise DeviceFailure("compile", f"{operator.name} has no op_kernel folder, so there is no kernel to run.")
    entries: list[tuple[str, Path]] = []
    for path in sorted(folder.rglob("*")):
        if path.suffix in _SUFFIXES:
            text = _COMMENT.sub(" ", path.read_text(encoding="utf-8", errors="replace"))
            entries += [(name, path) for name in _ENTRY.findall(text)]
    if not entries:
        raise DeviceFailure("compile", f"no file in {operator.name}/op_kernel defines a __global__ kernel entry.")
    wanted = op.lower()
    matching = [(name, path) for name, path in entries if name.replace("_", "").lower() == wanted]
    if not matching and len(entries) == 1:
        matching = entries
    if not matching:
        names = ", ".join(name for name, _ in entries)
        raise DeviceFailure(
            "compile",
            f"no kernel entry in {operator.name}/op_kernel is called like the operator {op}; found {names}.",
        )
    entry, file = matching[0]
    return KernelSource(operator, file, entry, tuple(_includes(operator, file)))


def _includes(operator: Path, file: Path) -> list[Path]:
    found = [file.parent, operator / "op_kernel", operator]
    commons = [parent / "common" for parent in list(operator.parents)[:_MAX_ANCESTORS] if (parent / "common").is_dir()]
    found += _cmake_includes(operator, commons)
    for common in commons:
        found += [path for path in (common / "inc", common / "include", common) if path.is_dir()]
    return list(dict.fromkeys(found))


def _cmake_includes(operator: Path, commons: list[Path]) -> list[Path]:
    """Include folders in the operator's CMakeLists.txt, as far as they can be resolved."""
    try:
        text = (operator / "CMakeLists.txt").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    found: list[Path] = []
    for option in _INCLUDE_OPTION.findall(text):
        for common in commons or [operator]:
            known = {"CMAKE_CURRENT_SOURCE_DIR": operator, "CMAKE_CURRENT_LIST_DIR": operator}
            resolved = _VARIABLE.sub(
                lambda match, common=common, known=known: str(
                    known.get(match[1], common if "COMMON" in match[1].upper() else match[0])
                ),
                option,
            )
            path = Path(resolved)
            if "$" not in resolved and path.is_absolute() and path.is_dir():
                found.append(path)
    return found
