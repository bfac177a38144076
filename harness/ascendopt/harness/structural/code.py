"""One file of an operator as the structural operators read it: patterns, functions, mentions of a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from ascendopt.analysis.findings import Span, TextEdit
from ascendopt.analysis.patterns import Match, Pattern, TokenTable, match, parse
from ascendopt.analysis.patterns.layout import Layout
from ascendopt.analysis.source.source_file import SourceFile

_WRITES = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "++", "--"))
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Statement:
    """A statement of a block: its place, its tokens' texts, and its block's number."""

    span: Span
    words: tuple[str, ...]
    block: int

    @property
    def called(self) -> str:
        """``Add`` for ``Add(...);`` and ``Cast<float>(...);``, ``EnQue`` for ``queue.EnQue(x);``, else empty."""
        words = self.words
        index = 0
        while index + 2 < len(words) and words[index + 1] in (".", "->", "::"):
            index += 3 if words[index + 2] == "template" else 2
        if index + 1 >= len(words) or words[-1] != ";" or not IDENTIFIER.fullmatch(words[index]):
            return ""
        return words[index] if words[index + 1] in ("(", "<") and words[-2] == ")" else ""


class Code:
    """One parsed file. ``path`` is relative to the operator's folder."""

    def __init__(self, path: str, source: SourceFile) -> None:
        self.path = path
        self.source = source
        self.table = TokenTable(source)
        self.layout = Layout(source.data)
        self._patterns: dict[str, Pattern] = {}
        self._bodies = sorted(_bodies(source.tree.root_node))
        self._words: dict[str, list[int]] = {}
        for index, token in enumerate(self.table.tokens):
            self._words.setdefault(token.text, []).append(index)

    # ------------------------------------------------------------------ patterns

    def find(self, text: str, within: Span | None = None) -> list[Match]:
        """Where a pattern matches; nothing is searched when one of its words is not in the file."""
        if text not in self._patterns:
            self._patterns[text] = parse(text)
        pattern = self._patterns[text]
        if not all(piece.name or piece.text in self._words for piece in pattern.pieces):
            return []
        return match(self.table, pattern, within)

    def edit(self, span: Span, text: str) -> TextEdit:
        """Replace ``span``."""
        return TextEdit(self.source.path, span, text)

    def remove_lines(self, span: Span) -> TextEdit:
        """Remove a statement, with its line when it has one for itself."""
        return self.edit(self.layout.whole_lines(span) or span, "")

    def line_after(self, span: Span, text: str) -> TextEdit:
        """Put ``text`` on a line of its own after the line where ``span`` ends, indented as ``span``'s line."""
        at = self.layout.line_end(span.end)
        return self.edit(Span(at, at), self.layout.indent(span.start) + text + self.layout.newline(span.start))

    def line_before(self, span: Span, text: str) -> TextEdit:
        """Put ``text`` on a line of its own before the line where ``span`` starts."""
        at = self.layout.line_start(span.start)
        return self.edit(Span(at, at), self.layout.indent(span.start) + text + self.layout.newline(span.start))

    # ------------------------------------------------------------------ functions

    def body_at(self, offset: int) -> Span | None:
        """The innermost function body around a byte."""
        inside = [span for span in self._bodies if span.start <= offset < span.end]
        return max(inside, key=lambda span: span.start, default=None)

    @property
    def bodies(self) -> list[Span]:
        """All function bodies, braces included."""
        return self._bodies

    def other_arms(self, offset: int) -> list[Span]:
        """The ``else`` arms after a byte of an ``if``: control does not come from there to them."""
        node = self.source.tree.root_node.descendant_for_byte_range(offset, offset)
        arms: list[Span] = []
        while node is not None and node.parent is not None:
            parent = node.parent
            alternative = parent.child_by_field_name("alternative") if parent.type == "if_statement" else None
            if alternative is not None and alternative.start_byte > offset:
                arms.append(Span(alternative.start_byte, alternative.end_byte))
            node = parent
        return arms

    # ------------------------------------------------------------------ names

    def has(self, name: str) -> bool:
        """True when the name occurs, comments aside."""
        return name in self._words

    def fresh(self, name: str) -> str:
        """``name``, or with a number behind it when the file uses it already."""
        number = 2
        candidate = name
        while self.has(candidate):
            candidate = f"{name}{number}"
            number += 1
        return candidate

    def mentions(self, name: str, within: Span | None = None) -> list[Span]:
        """Places of a name, members of other objects aside (``tiling.name``)."""
        tokens = self.table.tokens
        found: list[Span] = []
        for index in self._words.get(name, ()):
            member = index > 1 and tokens[index - 1].text in (".", "->") and tokens[index - 2].text != "this"
            token = tokens[index]
            if not member and (within is None or within.start <= token.start < within.end):
                found.append(Span(token.start, token.end))
        return found

    def writes(self, name: str, within: Span) -> bool:
        """True when a variable is assigned in ``within`` (its declaration included)."""
        tokens = self.table.tokens
        for span in self.mentions(name, within):
            index = self.table.first_from(span.start)
            after = tokens[index + 1].text if index + 1 < len(tokens) else ""
            before = tokens[index - 1].text if index else ""
            if after in _WRITES or before in ("++", "--"):
                return True
        return False

    def names_in(self, text: str) -> set[str]:
        """Identifiers of a text."""
        return set(IDENTIFIER.findall(text))

    def is_stable(self, text: str, within: Span) -> bool:
        """True when no variable of an expression is assigned in ``within``."""
        return not any(self.writes(name, within) for name in self.names_in(text))

    # ------------------------------------------------------------------ statements

    def statement_at(self, offset: int) -> Statement | None:
        """The statement that starts at a byte."""
        index = self.table.first_from(offset)
        entry = self.table.statements.get(index)
        if entry is None or self.table.tokens[index].outer != offset:
            return None
        return self._statement(index, entry)

    def statements(self, within: Span) -> Iterator[Statement]:
        """All statements that start inside of ``within``, first to last, nested ones too."""
        low, high = self.table.first_from(within.start), self.table.first_from(within.end)
        for index in range(low, high):
            entry = self.table.statements.get(index)
            if entry is not None:
                yield self._statement(index, entry)

    def before(self, span: Span) -> Statement | None:
        """The statement of the same block that ends where ``span`` starts."""
        index = self.table.first_from(span.start)
        block = self.table.statements.get(index, (0, -1))[1]
        for start in range(index - 1, -1, -1):
            entry = self.table.statements.get(start)
            if entry is not None and entry[0] == index and entry[1] == block:
                return self._statement(start, entry)
            if entry is not None and entry[0] < index:
                return None
        return None

    def after(self, span: Span) -> Statement | None:
        """The statement of the same block that follows ``span``."""
        start = self.table.first_from(span.start)
        index = self.table.first_from(span.end)
        own, entry = self.table.statements.get(start), self.table.statements.get(index)
        return self._statement(index, entry) if own and entry and own[1] == entry[1] else None

    def _statement(self, index: int, entry: tuple[int, int]) -> Statement:
        end, block = entry
        tokens = self.table.tokens[index:end]
        return Statement(Span(tokens[0].outer, tokens[-1].end), tuple(token.text for token in tokens), block)


def _bodies(root: Node) -> Iterator[Span]:
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type == "function_definition":
            body = node.child_by_field_name("body")
            if body is not None:
                yield Span(body.start_byte, body.end_byte)
        stack.extend(node.named_children)
