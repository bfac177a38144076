"""Reads a rule fixture: sources with `// ^^^ CODE: text` comments, as one file or several."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_MARKER = re.compile(r"^(\s*//\s*)(\^+)\s+(ASC-[A-Z]+\d+):\s*(.+?)\s*$")
_OPTION = re.compile(r"^// (soc|rules): (.+)$")
_FILE = re.compile(r"^//- (\S+)$")


@dataclass(frozen=True)
class Expected:
    """A finding that must be there. `line` and `column` are 1-based."""

    file: str
    line: int
    column: int
    rule: str
    text: str


@dataclass(frozen=True)
class Fixture:
    """The files of a fixture, what is expected, and its options."""

    files: dict[str, str]
    expected: tuple[Expected, ...]
    options: dict[str, str]

    def write(self, folder: Path) -> Path:
        """Put the files below `folder`; the path to check (the file, or the folder when there are several)."""
        for name, text in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return folder if len(self.files) > 1 else folder / next(iter(self.files))


def read_fixture(path: Path) -> Fixture:
    """Parse the fixture at `path`."""
    files: dict[str, list[str]] = {}
    expected: list[Expected] = []
    options: dict[str, str] = {}
    current = "kernel.cpp"
    for text in path.read_text().splitlines():
        if option := _OPTION.match(text):
            options[option[1]] = option[2]
        if header := _FILE.match(text):
            current = header[1]
            files[current] = []
            continue
        lines = files.setdefault(current, [])
        lines.append(text)
        if marker := _MARKER.match(text):
            line = len(lines) - 1
            while _MARKER.match(lines[line - 1]):
                line -= 1
            expected.append(Expected(current, line, len(marker[1]) + 1, marker[3], marker[4]))
    return Fixture({name: "\n".join(lines) + "\n" for name, lines in files.items()}, tuple(expected), options)
