"""Where findings are, as people and formats count: 1-based lines and columns."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ascendopt.analysis.findings import Span


@dataclass(frozen=True)
class Region:
    """A range of text, 1-based; ``end_column`` is that of the first character behind it."""

    line: int
    column: int
    end_line: int
    end_column: int


class Places:
    """Lines and columns of byte offsets. Columns count Unicode characters, or UTF-16 code units with ``utf16``."""

    def __init__(self, texts: dict[Path, bytes], *, utf16: bool = False) -> None:
        self._texts = texts
        self._utf16 = utf16

    def region(self, path: Path, span: Span) -> Region:
        """Lines and columns of ``span`` in ``path``."""
        return Region(*self._at(path, span.start), *self._at(path, span.end))

    def line(self, path: Path, number: int) -> str:
        """The text of line ``number`` (1-based) without its end."""
        lines = self.text(path).split(b"\n")
        return lines[number - 1].decode("utf-8", "replace").rstrip("\r") if number <= len(lines) else ""

    def text(self, path: Path) -> bytes:
        """The bytes of a file; those that no operator of the check holds are read now."""
        if path not in self._texts:
            try:
                self._texts[path] = path.read_bytes()
            except OSError:
                self._texts[path] = b""
        return self._texts[path]

    def _at(self, path: Path, offset: int) -> tuple[int, int]:
        data = self.text(path)
        start = data.rfind(b"\n", 0, offset) + 1
        before = data[start:offset].decode("utf-8", "replace")
        units = len(before.encode("utf-16-le")) // 2 if self._utf16 else len(before)
        return data.count(b"\n", 0, offset) + 1, units + 1


def shown(path: Path) -> str:
    """Relative to the current folder when below it."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative
