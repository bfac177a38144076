"""Lines and indentation around a place, so that what is written looks like what stands there."""

from __future__ import annotations

from ascendopt.analysis.findings import Span

UNIT = "    "


class Layout:
    """Lines of one file's bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def line_start(self, offset: int) -> int:
        """First byte of the line of ``offset``."""
        return self.data.rfind(b"\n", 0, offset) + 1

    def line_end(self, offset: int) -> int:
        """The byte after the line's end, or the end of the file."""
        end = self.data.find(b"\n", offset)
        return len(self.data) if end < 0 else end + 1

    def newline(self, offset: int) -> str:
        """The line end in use near ``offset``."""
        end = self.line_end(offset)
        if not self.data[:end].endswith(b"\n"):
            end = self.line_start(offset)
        return "\r\n" if self.data[:end].endswith(b"\r\n") else "\n"

    def indent(self, offset: int) -> str:
        """White space at the start of the line of ``offset``."""
        start = self.line_start(offset)
        line = self.data[start : self.line_end(offset)]
        return line[: len(line) - len(line.lstrip(b" \t"))].decode("ascii")

    def begins_line(self, offset: int) -> bool:
        """True when only white space stands before ``offset`` on its line."""
        return not self.data[self.line_start(offset) : offset].strip()

    def ends_line(self, offset: int) -> bool:
        """True when only white space stands between ``offset`` and the end of its line."""
        return not self.data[offset : self.line_end(offset)].strip()

    def whole_lines(self, span: Span) -> Span | None:
        """``span`` with its indentation and its line end, when it has its lines for itself."""
        if self.begins_line(span.start) and self.ends_line(span.end):
            return Span(self.line_start(span.start), self.line_end(span.end))
        return None

    def step(self, inner: int) -> str:
        """What one block more is indented by, seen from a statement of a block (default four spaces)."""
        own = self.indent(inner)
        at = self.line_start(inner)
        while at > 0:
            at = self.line_start(at - 1)
            outer = self.indent(at)
            blank = not self.data[at : self.line_end(at)].strip()
            if not blank and len(outer) < len(own) and own.startswith(outer):
                step = own[len(outer) :]
                return step if len(step) <= 8 else UNIT
        return "\t" if own.startswith("\t") else UNIT

    def lines(self, span: Span) -> list[int]:
        """Starts of the lines that begin inside of ``span``."""
        found: list[int] = []
        at = self.line_end(span.start)
        while at < span.end:
            found.append(at)
            at = self.line_end(at)
        return found
