"""Source text as tokens, each with its place, and which runs of tokens are whole nodes of the syntax tree."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from ascendopt.analysis.findings import Span
from ascendopt.analysis.source.source_file import SourceFile

NAMESPACE = "AscendC"
# `>>` and `<<` stay single characters: in templates they are two brackets.
_TOKEN = re.compile(
    rb"""(?P<skip>\s+|\\\r?\n|//[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<meta>\$\$?[A-Za-z_]\w*)
    |(?P<word>[A-Za-z_\x80-\xff][\w\x80-\xff]*)
    |(?P<number>\.?\d(?:[eEpP][+-]|[\w.'])*)
    |(?P<quoted>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<sign>::|->|\+\+|--|&&|\|\||[=!<>+\-*/%&|^]=|.)""",
    re.X | re.S,
)
_BLOCKS = frozenset(
    (
        "compound_statement",
        "translation_unit",
        "field_declaration_list",
        "declaration_list",
        "preproc_if",
        "preproc_ifdef",
        "preproc_else",
        "preproc_elif",
        "case_statement",
    )
)
_NO_UNIT = re.compile(
    r".*(_statement|_list|_definition|_clause)$|comment|declaration|field_declaration|ERROR|preproc.*"
)


@dataclass(frozen=True)
class Token:
    """One token. ``start`` leaves out an ``AscendC::`` in front of a name, ``outer`` does not."""

    text: str
    start: int
    end: int
    outer: int

    @property
    def is_qualified(self) -> bool:
        """True with ``AscendC::`` in front."""
        return self.outer != self.start


def lex(data: bytes) -> list[Token]:
    """The tokens of ``data``, comments and white space aside; ``AscendC::Add`` is one token, ``Add``."""
    raw = [
        (match[0].decode("utf-8", "surrogateescape"), match.start(), match.end())
        for match in _TOKEN.finditer(data)
        if match.lastgroup != "skip"
    ]
    tokens: list[Token] = []
    index = 0
    while index < len(raw):
        text, start, end = raw[index]
        if text == NAMESPACE and index + 2 < len(raw) and raw[index + 1][0] == "::":
            name, name_start, name_end = raw[index + 2]
            tokens.append(Token(name, name_start, name_end, start))
            index += 3
            continue
        tokens.append(Token(text, start, end, start))
        index += 1
    return tokens


class TokenTable:
    """The tokens of a file with the tree's boundaries in token numbers. Make one a file and match many patterns.

    ``units`` gives for a first token the ends of the expressions, names and types that start there, longest first;
    ``statements`` the end of the statement (or declaration, or member) that starts there, and the number of its block.
    """

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.tokens = self._live_tokens()
        self._starts = [token.outer for token in self.tokens]
        self.units: dict[int, list[int]] = {}
        self.statements: dict[int, tuple[int, int]] = {}
        self._read_tree()

    def text(self, span: Span) -> str:
        """The original text of ``span``, every byte kept (surrogateescape)."""
        return self.source.data[span.start : span.end].decode("utf-8", "surrogateescape")

    def first_from(self, offset: int) -> int:
        """Number of the first token at or after a byte offset."""
        return bisect_left(self._starts, offset)

    def _live_tokens(self) -> list[Token]:
        tokens = lex(self.source.data)
        dead = self.source.dead
        if not dead:
            return tokens
        return [token for token in tokens if not any(low <= token.start < high for low, high in dead)]

    def _read_tree(self) -> None:
        for parent, node in _named(self.source.tree.root_node):
            run = self._run(node)
            if run is None:
                continue
            low, high = run
            if parent.type in _BLOCKS and node.type != "comment":
                self.statements[low] = (high, parent.id)
            elif node.type == "initializer_list" or _NO_UNIT.fullmatch(node.type) is None:
                ends = self.units.setdefault(low, [])
                if high not in ends:
                    ends.append(high)
        for ends in self.units.values():
            ends.sort(reverse=True)

    def _run(self, node: Node) -> tuple[int, int] | None:
        """The tokens of a node. Words that masking blanked belong to the node that follows them."""
        low = bisect_left(self._starts, node.start_byte)
        if low and low <= len(self.tokens) and self.tokens[low - 1].start == node.start_byte:
            low -= 1
        high = bisect_left(self._starts, node.end_byte)
        if low >= high:
            return None
        masked = self.source.masked
        while low and not masked[self.tokens[low - 1].start : self.tokens[low - 1].end].strip():
            low -= 1
        return low, high


def _named(root: Node) -> Iterator[tuple[Node, Node]]:
    stack = [root]
    while stack:
        parent = stack.pop()
        for child in parent.named_children:
            yield parent, child
            stack.append(child)
