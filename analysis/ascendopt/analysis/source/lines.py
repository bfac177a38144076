"""Lines as LSP counts them (they end at LF, CRLF or CR and nowhere else), and UTF-16 columns."""

from __future__ import annotations

import re
from bisect import bisect_right

_BREAK = re.compile(rb"\r\n|\n|\r")


class LineTable:
    """Start offsets of the lines of some bytes. Form feeds and U+2028 are ordinary characters."""

    __slots__ = ("starts",)

    def __init__(self, starts: list[int]) -> None:
        self.starts = starts

    @staticmethod
    def of(data: bytes) -> LineTable:
        """Table of ``data``; there is always at least one line."""
        return LineTable([0, *(match.end() for match in _BREAK.finditer(data))])

    def spliced(self, data: bytes, start: int, old_end: int, new_end: int) -> LineTable:
        """Table of ``data``, in which ``[start, new_end)`` replaced ``[start, old_end)`` of this table's
        text."""
        first = self.line_of(start)
        # A CR just before the edited line may join an LF that the edit moved to its start.
        first = max(0, first - 1)
        after = self.line_of(old_end) + 1
        shift = new_end - old_end
        low = self.starts[first]
        high = self.starts[after] + shift if after < len(self.starts) else len(data)
        middle = [match.end() for match in _BREAK.finditer(data, low, high)]
        if after < len(self.starts) and (not middle or middle[-1] != high):
            middle.append(high)
        tail = self.starts[after + 1 :]
        return LineTable([*self.starts[: first + 1], *middle, *(start + shift for start in tail)])

    def line_of(self, offset: int) -> int:
        """0-based line that holds byte ``offset``."""
        return bisect_right(self.starts, offset) - 1

    def __len__(self) -> int:
        return len(self.starts)

    def line_bytes(self, data: bytes, line: int) -> bytes:
        """The line without its terminator; ``line`` beyond the end gives empty bytes."""
        if line >= len(self.starts):
            return b""
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(data)
        return data[self.starts[line] : end].rstrip(b"\r\n")

    def offset(self, data: bytes, line: int, utf16: int) -> int:
        """Byte offset of an LSP position; columns beyond the line clamp to its end, lines to the end of
        text."""
        if line < 0:
            return 0
        if line >= len(self.starts):
            return len(data)
        text = self.line_bytes(data, line)
        if text.isascii():
            return self.starts[line] + min(max(utf16, 0), len(text))
        return self.starts[line] + _utf16_to_byte(text, utf16)

    def position(self, data: bytes, offset: int) -> tuple[int, int]:
        """(line, UTF-16 column) of byte ``offset``, which is clamped to the text."""
        offset = min(max(offset, 0), len(data))
        line = self.line_of(offset)
        text = data[self.starts[line] : offset]
        if text.isascii():
            return line, len(text)
        return line, len(text.decode("utf-8", "replace").encode("utf-16-le")) // 2


def _utf16_to_byte(text: bytes, utf16: int) -> int:
    units = 0
    offset = 0
    for char in text.decode("utf-8", "surrogateescape"):
        width = 2 if ord(char) > 0xFFFF else 1
        if units + width > utf16:
            break
        units += width
        offset += 1 if "\udc80" <= char <= "\udcff" else len(char.encode("utf-8"))
    return offset
