"""A source text with its lines, its masked form and its syntax tree, as an immutable snapshot."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import tree_sitter_cpp
from tree_sitter import Language, Parser, Point, Tree

from ascendopt.analysis.findings import Span
from ascendopt.analysis.source.conditionals import dead_ranges
from ascendopt.analysis.source.lines import LineTable
from ascendopt.analysis.source.masking import mask, remask
from ascendopt.analysis.source.words import load_words

LANGUAGE = Language(tree_sitter_cpp.language())
_BLANKED = bytes(c if c in b"\r\n" else 0x20 for c in range(256))
_LAUNCH = re.compile(rb"([A-Za-z_][\w:]*(?:<[^<>;{}]*>)?)\s*<<<([^;{}]*?)>>>\s*\(")
_TOKEN = re.compile(rb"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|(\w+)", re.DOTALL)
BOM = b"\xef\xbb\xbf"


class SourceFile:
    """One version of a file.

    ``data`` are the bytes on disk (or of the editor), ``masked`` the same number of bytes as parsed, ``tree``
    the tree-sitter tree of ``masked``. ``macros`` is None when `#if` is not resolved. Snapshots may be read
    from several threads; an edit gives a new one.
    """

    __slots__ = ("_words", "data", "dead", "lines", "local", "macros", "masked", "path", "tree")

    def __init__(
        self,
        path: Path,
        data: bytes,
        *,
        local: bytes,
        dead: tuple[tuple[int, int], ...],
        masked: bytes,
        lines: LineTable,
        tree: Tree,
        macros: Mapping[str, int | None] | None,
    ) -> None:
        self.path = path
        self.data = data
        self.local = local
        self.dead = dead
        self.masked = masked
        self.lines = lines
        self.tree = tree
        self.macros = macros
        self._words: frozenset[bytes] | None = None

    @staticmethod
    def of(path: Path, data: bytes, macros: Mapping[str, int | None] | None = None) -> SourceFile:
        """Parse ``data``. ``macros`` (see ``chip_macros``) resolves `#if` for one chip."""
        local = bytes(mask(data, load_words()))
        if data.startswith(BOM):
            local = b"   " + local[3:]
        dead = dead_ranges(data, macros) if macros is not None else ()
        masked = _without(local, dead)
        return SourceFile(
            path,
            data,
            local=local,
            dead=dead,
            masked=masked,
            lines=LineTable.of(data),
            tree=Parser(LANGUAGE).parse(masked),
            macros=macros,
        )

    @staticmethod
    def read(path: Path, macros: Mapping[str, int | None] | None = None) -> SourceFile:
        """Parse a file. Raises OSError when it cannot be read."""
        return SourceFile.of(path, path.read_bytes(), macros)

    # ------------------------------------------------------------------ reading

    def text(self, start: int, end: int) -> str:
        """Original text of a byte range; broken UTF-8 reads as U+FFFD."""
        return self.data[start:end].decode("utf-8", "replace")

    def words(self, without: Sequence[Span] = ()) -> frozenset[bytes]:
        """The names and numbers that stand outside of comments and strings, and outside of ``without``."""
        if without:
            return frozenset(self._words_outside(without))
        if self._words is None:
            self._words = frozenset(word for word in _TOKEN.findall(self.data) if word)
        return self._words

    def _words_outside(self, spans: Sequence[Span]) -> Iterator[bytes]:
        for match in _TOKEN.finditer(self.data):
            if match[1] and not any(span.start <= match.start() < span.end for span in spans):
                yield match[1]

    def offset(self, line: int, utf16: int) -> int:
        """Byte offset of a 0-based LSP position."""
        return self.lines.offset(self.data, line, utf16)

    def position(self, offset: int) -> tuple[int, int]:
        """0-based (line, UTF-16 column) of a byte offset."""
        return self.lines.position(self.data, offset)

    def launches(self) -> tuple[tuple[str, Span], ...]:
        """Kernel launches ``name<<<...>>>(``: the name and the span of what stands between the brackets."""
        return tuple(
            (match[1].decode("utf-8", "replace"), Span(*match.span(2))) for match in _LAUNCH.finditer(self.data)
        )

    # ------------------------------------------------------------------ editing

    def with_edit(self, start: int, old_end: int, new_text: str | bytes) -> SourceFile:
        """A new snapshot in which bytes ``[start, old_end)`` read ``new_text``.

        Raises ValueError for a range outside the text.
        """
        if not 0 <= start <= old_end <= len(self.data):
            raise ValueError(f"edit [{start}, {old_end}) is outside a text of {len(self.data)} bytes")
        insert = new_text.encode("utf-8", "surrogatepass") if isinstance(new_text, str) else new_text
        data = self.data[:start] + insert + self.data[old_end:]
        new_end = start + len(insert)
        low, old_high = self._whole_lines(start, old_end)
        local = self._remasked(data, start, old_end, new_end)
        dead = self._dead_after(data, low, old_high, new_end - old_end)
        masked = _without(local, dead)
        lines = self.lines.spliced(data, start, old_end, new_end)
        low, old_high, new_high = self._difference(masked, low, old_high, old_high + new_end - old_end)
        old_tree = self.tree.copy()
        old_tree.edit(
            low,
            old_high,
            new_high,
            _point(self.masked, low),
            _point(self.masked, old_high),
            _point(masked, new_high),
        )
        tree = _parsed(masked, old_tree)
        return SourceFile(
            self.path,
            data,
            local=local,
            dead=dead,
            masked=masked,
            lines=lines,
            tree=tree,
            macros=self.macros,
        )

    def _whole_lines(self, start: int, end: int) -> tuple[int, int]:
        first = self.lines.starts[self.lines.line_of(start)]
        last = self.lines.line_of(end) + 1
        return first, self.lines.starts[last] if last < len(self.lines) else len(self.data)

    def _remasked(self, data: bytes, start: int, old_end: int, new_end: int) -> bytes:
        local = remask(self.local, data, start, old_end, new_end, load_words())
        return b"   " + local[3:] if data.startswith(BOM) else local

    def _dead_after(self, data: bytes, low: int, old_high: int, shift: int) -> tuple[tuple[int, int], ...]:
        if self.macros is None:
            return ()
        before = self.data[max(0, low - 2) : old_high]
        after = data[max(0, low - 2) : old_high + shift]
        if any(mark in text for text in (before, after) for mark in (b"#", b"\\", b"/*", b"*/")):
            return dead_ranges(data, self.macros)
        return tuple(
            (
                start if start < old_high else start + shift,
                end if end < old_high else end + shift,
            )
            for start, end in self.dead
        )

    def _difference(self, masked: bytes, low: int, old_high: int, new_high: int) -> tuple[int, int, int]:
        """Widen the edited lines to everything that masking changed beyond them."""
        head = _common_prefix(self.masked, masked, low)
        tail = _common_suffix(self.masked, masked, len(self.masked) - old_high)
        return head, len(self.masked) - tail, len(masked) - tail


def _parsed(masked: bytes, old: Tree) -> Tree:
    """The tree of ``masked`` alone. What error recovery gives depends on what it reuses, so ``old`` is of use only from
    a text without errors to another one."""
    if not old.root_node.has_error:
        tree = Parser(LANGUAGE).parse(masked, old)
        if not tree.root_node.has_error:
            return tree
    return Parser(LANGUAGE).parse(masked)


def _point(text: bytes, offset: int) -> Point:
    """Row and byte column as tree-sitter counts them: rows end at LF only."""
    return Point(text.count(b"\n", 0, offset), offset - (text.rfind(b"\n", 0, offset) + 1))


def _common_prefix(old: bytes, new: bytes, limit: int) -> int:
    if old[:limit] == new[:limit]:
        return limit
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if old[:middle] == new[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_suffix(old: bytes, new: bytes, limit: int) -> int:
    if limit <= 0 or old[-limit:] == new[-limit:]:
        return max(limit, 0)
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if old[-middle:] == new[-middle:]:
            low = middle
        else:
            high = middle - 1
    return low


def _without(text: bytes, dead: tuple[tuple[int, int], ...]) -> bytes:
    if not dead:
        return text
    parts: list[bytes] = []
    at = 0
    for start, end in dead:
        parts.append(text[at:start])
        parts.append(text[start:end].translate(_BLANKED))
        at = end
    parts.append(text[at:])
    return b"".join(parts)
