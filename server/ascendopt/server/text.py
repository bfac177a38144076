"""Positions: byte offsets inside the engine, lines and UTF-16 columns at the LSP edge."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol.types import Position, Range

from ascendopt.analysis.findings import Span
from ascendopt.analysis.source.lines import LineTable


@dataclass(frozen=True)
class Positions:
    """Converts positions of one text."""

    data: bytes
    lines: LineTable

    @staticmethod
    def of(data: bytes) -> Positions:
        """For a text that no document holds, such as a file that is not open."""
        return Positions(data, LineTable.of(data))

    def to_byte(self, position: Position) -> int:
        """Byte offset of `position`; columns beyond the line mean its end, lines beyond the text its end."""
        return self.lines.offset(self.data, position.line, position.character)

    def to_position(self, offset: int) -> Position:
        """Position of byte `offset`, clamped to the text."""
        return Position(*self.lines.position(self.data, offset))

    def to_range(self, span: Span) -> Range:
        """The LSP range of a byte span."""
        return Range(self.to_position(span.start), self.to_position(span.end))

    def to_span(self, value: Range) -> Span:
        """The byte span of an LSP range."""
        return Span(self.to_byte(value.start), self.to_byte(value.end))
