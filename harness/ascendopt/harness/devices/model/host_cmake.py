"""What an operator's CMakeLists.txt says about its host side: source files and include folders.

Repositories in the style of cann-ops add each operator's files to a few targets of the whole repository. The
targets that make the operator's definition, tiling and shape inference are its host side; the rest is glue that
calls it from an application. Conditions are not evaluated: those lists stand outside of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_FILE = "CMakeLists.txt"
_TARGET = re.compile(r"optiling|opsproto|op_host_aclnn\w*")
_TILING_TARGET = "optiling"
_COMMENT = re.compile(r"#[^\n]*")
_COMMAND = re.compile(r"\b(?P<name>\w+)\s*\((?P<words>[^()]*)\)")
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_KEYWORDS = frozenset({"PRIVATE", "PUBLIC", "INTERFACE", "BEFORE", "SYSTEM"})


@dataclass(frozen=True)
class HostTargets:
    """Files and include folders that exist, in the order of the build file."""

    files: tuple[Path, ...]
    includes: tuple[Path, ...]


def read_host_targets(operator: Path, ancestors: list[Path]) -> HostTargets | None:
    """The host side that the operator's own build file lists, or None when it lists no tiling sources.

    ``ancestors`` are the folders above, nearest first: the outermost with a build file is the repository.
    """
    file = operator / _FILE
    if not file.is_file():
        return None
    levels = [folder for folder in ancestors if (folder / _FILE).is_file()]
    root = levels[-1] if levels else operator
    variables: dict[str, list[str]] = {}
    for folder in reversed(levels):
        _read(folder, root, variables)
    commands = _read(operator, root, variables)
    sources: list[Path] = []
    includes: list[Path] = []
    tiling = False
    for name, words in commands:
        if not words or not _TARGET.fullmatch(words[0]):
            continue
        paths = [operator / word for word in words[1:] if word not in _KEYWORDS and "$" not in word]
        if name == "target_sources":
            found = [path for path in paths if path.is_file()]
            tiling = tiling or (words[0] == _TILING_TARGET and bool(found))
            sources += found
        elif name == "target_include_directories":
            includes += [path for path in paths if path.is_dir()]
    return HostTargets(_unique(sources), _unique(includes)) if tiling else None


def _unique(paths: list[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(path.resolve() for path in paths))


def _read(folder: Path, root: Path, variables: dict[str, list[str]]) -> list[tuple[str, list[str]]]:
    """The commands of the folder's build file with variables in place; ``variables`` takes what it sets."""
    for name in ("CMAKE_CURRENT_SOURCE_DIR", "CMAKE_CURRENT_LIST_DIR"):
        variables[name] = [str(folder)]
    for name in ("CMAKE_SOURCE_DIR", "PROJECT_SOURCE_DIR"):
        variables[name] = [str(root)]
    text = _COMMENT.sub("", (folder / _FILE).read_text(encoding="utf-8", errors="replace"))
    commands: list[tuple[str, list[str]]] = []
    for match in _COMMAND.finditer(text):
        words = list(_expanded(match["words"], variables))
        name = match["name"].lower()
        if name == "set" and words:
            variables[words[0]] = words[1:]
        elif name == "file" and len(words) > 2 and words[0].startswith("GLOB"):
            variables[words[1]] = _globbed(folder, root, words[2:], recursive=words[0] == "GLOB_RECURSE")
        commands.append((name, words))
    return commands


def _expanded(text: str, variables: Mapping[str, list[str]]) -> Iterator[str]:
    for raw in text.split():
        word = raw.strip('"')
        whole = _VARIABLE.fullmatch(word)
        if whole is not None and whole[1] in variables:
            yield from variables[whole[1]]
            continue
        yield _VARIABLE.sub(lambda found: " ".join(variables.get(found[1], [found[0]])), word)


def _globbed(folder: Path, root: Path, patterns: list[str], *, recursive: bool) -> list[str]:
    found: list[str] = []
    for pattern in patterns:
        path = Path(os.path.normpath(folder / pattern)).parent
        # A pattern that leaves the repository (a toolkit's folder, a whole disk) names nothing of the user's. In a
        # private copy of an operator its neighbours are links into the repository: what is written counts.
        if path.is_dir() and path.is_relative_to(os.path.normpath(root)):
            name = Path(pattern).name
            found += sorted(str(match) for match in (path.rglob(name) if recursive else path.glob(name)))
    return found
