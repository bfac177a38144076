"""Files of an operator: reading text, following includes inside the repository."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar, cast

SUFFIXES = (".cpp", ".cc", ".cxx", ".h", ".hpp", ".asc")
IMPLEMENTATION = (".cpp", ".cc", ".cxx", ".asc")
_INCLUDE = re.compile(r'\n[ \t]*#[ \t]*include[ \t]*"([^"\r\n]+)"')  # faster than "^": jumps from line to line
_MOST_BYTES = 4 << 20
_DEEPEST = 6


ResultT = TypeVar("ResultT")
_MOST_PARSED = 8000


class ParsedFiles:
    """What was read out of files, kept while their text stays the same. An editor keeps one for its session."""

    def __init__(self) -> None:
        self._results: dict[tuple[Path, Callable[[Path, str], object]], tuple[str, object]] = {}

    def get(self, path: Path, text: str, parse: Callable[[Path, str], ResultT]) -> ResultT:
        """``parse(path, text)``; callers must not change what they get."""
        known = self._results.get((path, parse))
        if known is not None and known[0] == text:
            return cast("ResultT", known[1])
        if len(self._results) >= _MOST_PARSED:
            self._results.clear()
        result = parse(path, text)
        self._results[(path, parse)] = (text, result)
        return result


class Texts:
    """Texts of files, read once; open editor buffers may stand in for what is on disk."""

    def __init__(self, overlays: dict[Path, str] | None = None, parsed: ParsedFiles | None = None) -> None:
        self._texts: dict[Path, str] = dict(overlays or {})
        self._parsed = parsed or ParsedFiles()

    def parsed(self, path: Path, parse: Callable[[Path, str], ResultT]) -> ResultT:
        """``parse(path, text)``, from before when the text is the same; callers must not change what they get."""
        return self._parsed.get(path, self.read(path), parse)

    def read(self, path: Path) -> str:
        """Text of ``path``; empty for a file that is binary, huge or unreadable."""
        if path not in self._texts:
            self._texts[path] = _read(path)
        return self._texts[path]


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            return ""
        data = path.read_bytes()
    except OSError:
        return ""
    return "" if b"\0" in data else data.decode("utf-8", "surrogateescape")


class IncludePath:
    """Where `#include "..."` is looked for: beside the file, in given folders, in the repository's
    ``common``."""

    def __init__(self, root: Path, folders: Iterable[Path]) -> None:
        self._root = root
        self._folders = tuple(folders)
        self._common: dict[str, list[Path]] | None = None
        self._listed: dict[Path, frozenset[str]] = {}

    def resolve(self, name: str, includer: Path) -> Path | None:
        """The file that ``name`` means, or None: a system header or one that is not in the repository."""
        first = name.partition("/")[0]
        for folder in (includer.parent, *self._folders):
            if first in self._names(folder) or first in ("..", "."):
                candidate = Path(os.path.normpath(folder / name))
                if candidate.is_file():
                    return candidate
        same_name = self.common_files().get(name.rpartition("/")[2])
        if same_name is None:
            return None
        tail = Path(name).parts
        tail = tuple(part for part in tail if part not in ("..", "."))
        for candidate in same_name:
            if candidate.parts[-len(tail) :] == tail:
                return candidate
        return None

    def _names(self, folder: Path) -> frozenset[str]:
        """What is in a folder: most includes are of the toolkit, and a look here is cheaper than asking for each."""
        known = self._listed.get(folder)
        if known is None:
            known = self._listed[folder] = _listed(folder)
        return known

    def common_files(self) -> dict[str, list[Path]]:
        """Files below the ``common`` folders of the repository, by base name."""
        if self._common is None:
            self._common = {}
            for ancestor in list(self._root.parents)[:_DEEPEST]:
                folder = ancestor / "common"
                if folder.is_dir():
                    self._index(folder)
                if (ancestor / ".git").exists():
                    break
        return self._common

    def _index(self, folder: Path) -> None:
        assert self._common is not None
        for here, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                if name.endswith(SUFFIXES):
                    self._common.setdefault(name, []).append(Path(here) / name)


def _listed(folder: Path) -> frozenset[str]:
    try:
        with os.scandir(folder) as entries:
            return frozenset(entry.name for entry in entries)
    except OSError:
        return frozenset()


def _included(_path: Path, text: str) -> list[str]:
    return _INCLUDE.findall("\n" + text)


def closure(starts: Iterable[Path], includes: IncludePath, texts: Texts, limit: int = 200) -> tuple[Path, ...]:
    """``starts`` and every repository file that they include, directly or not, in first-visit order."""
    order: dict[Path, None] = {}
    stack = list(reversed(list(starts)))
    while stack and len(order) < limit:
        path = stack.pop()
        if path in order:
            continue
        order[path] = None
        found = [includes.resolve(name, path) for name in texts.parsed(path, _included)]
        stack.extend(file for file in reversed(found) if file is not None)
    return tuple(order)
