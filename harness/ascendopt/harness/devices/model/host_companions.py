"""Sources that may define what an operator's host files only declare.

A repository links the host sides of all its operators together, so that a file may call what another operator
defines, as long as it includes the header. Candidates are the sources beside such a header: the one of the same
name, and where the header belongs to another operator, all that operator's host files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ascendopt.harness.devices.model.host_cmake import read_host_targets

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[\"<]([^\">]+)[\">]", re.M)
_SUFFIXES = (".cpp", ".cc")
_FOLDER = "op_host"
_MAX_HEADERS = 200


def find_companions(
    operator: Path, files: Sequence[Path], includes: Sequence[Path], ancestors: list[Path]
) -> list[Path]:
    """Candidates beside the headers that ``files`` include, directly or not; none of ``files`` themselves."""
    found: dict[Path, None] = {}
    for header in _headers(files, includes):
        owner = _owner(header)
        if owner is None:
            continue
        for suffix in _SUFFIXES:
            if (beside := header.with_suffix(suffix)).is_file():
                found[beside] = None
        if owner != operator and (targets := read_host_targets(owner, ancestors)) is not None:
            found |= dict.fromkeys(targets.files)
    return [path for path in found if path not in files]


def _owner(header: Path) -> Path | None:
    """The operator folder that the header belongs to."""
    for folder in header.parents:
        if folder.name == _FOLDER:
            return folder.parent
    return None


def _headers(files: Sequence[Path], includes: Sequence[Path]) -> list[Path]:
    seen: dict[Path, None] = {}
    waiting = list(files)
    while waiting and len(seen) < _MAX_HEADERS:
        file = waiting.pop()
        for name in _INCLUDE.findall(file.read_text(encoding="utf-8", errors="replace")):
            header = _resolved(name, file, includes)
            if header is not None and header not in seen:
                seen[header] = None
                waiting.append(header)
    return list(seen)


def _resolved(name: str, file: Path, includes: Sequence[Path]) -> Path | None:
    for folder in (file.parent, *includes):
        if (header := folder / name).is_file():
            return header.resolve()
    return None
