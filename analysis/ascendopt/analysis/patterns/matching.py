"""Finds a pattern in a file: tokens in order, ``$name`` and ``$$name`` at boundaries of the syntax tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ascendopt.analysis.findings import Span
from ascendopt.analysis.patterns.pattern import Form, Pattern, PatternError
from ascendopt.analysis.patterns.tokens import TokenTable
from ascendopt.analysis.source.source_file import SourceFile

_MAX_STEPS = 20000


@dataclass(frozen=True)
class Binding:
    """What a variable stands for: its place and its text as written. ``span`` is empty for an empty run."""

    span: Span
    text: str


@dataclass(frozen=True)
class Match:
    """One place where a pattern matches.

    ``places`` are the byte spans of the pattern's pieces, in their order. ``qualified`` is True when a name of the
    library is written with ``AscendC::`` there.
    """

    table: TokenTable = field(repr=False, compare=False)
    pattern: Pattern
    span: Span
    bindings: Mapping[str, Binding]
    places: tuple[Span, ...]
    qualified: bool

    def text(self, name: str) -> str:
        """Text bound to a variable."""
        return self.bindings[name].text


def match(source: SourceFile | TokenTable, pattern: Pattern, within: Span | None = None) -> list[Match]:
    """All places where ``pattern`` matches, first to last; with ``within``, only those inside of it.

    Each start gives one match at most, with the shortest runs; a pattern that begins with ``$$name`` therefore
    matches once for each statement that it may begin with. Raises PatternError for ``$$name`` alone.
    """
    if all(piece.run for piece in pattern.pieces):
        raise PatternError(f"the pattern {pattern.text!r} matches everything; it is good as a template only.")
    table = source if isinstance(source, TokenTable) else TokenTable(source)
    low = table.first_from(within.start) if within else 0
    high = table.first_from(within.end) if within else len(table.tokens)
    starts = table.units if pattern.form is Form.EXPRESSION else table.statements
    found: list[Match] = []
    for start in sorted(starts):
        if low <= start < high:
            matched = _Matcher(table, pattern, start, high).run()
            if matched is not None:
                found.append(matched)
    return found


class _Matcher:
    def __init__(self, table: TokenTable, pattern: Pattern, start: int, limit: int) -> None:
        self.table = table
        self.pattern = pattern
        self.start = start
        self.limit = limit
        self.runs: list[tuple[int, int]] = []
        self.bound: dict[str, tuple[int, int]] = {}
        self.steps = 0

    def run(self) -> Match | None:
        if not self._from(0, self.start):
            return None
        tokens = self.table.tokens
        places = tuple(self._span(low, high) for low, high in self.runs)
        bindings = {name: self._binding(low, high) for name, (low, high) in self.bound.items()}
        named = [low for piece, (low, _) in zip(self.pattern.pieces, self.runs, strict=True) if not piece.name]
        end = self.runs[-1][1]
        return Match(
            self.table,
            self.pattern,
            self._span(self.start, end),
            bindings,
            places,
            any(tokens[index].is_qualified for index in named),
        )

    def _span(self, low: int, high: int) -> Span:
        tokens = self.table.tokens
        if low == high:
            at = tokens[low - 1].end if low else 0
            return Span(at, at)
        return Span(tokens[low].outer, tokens[high - 1].end)

    def _binding(self, low: int, high: int) -> Binding:
        span = self._span(low, high)
        return Binding(span, self.table.text(span))

    def _from(self, piece_index: int, at: int) -> bool:
        self.steps += 1
        if self.steps > _MAX_STEPS:
            return False
        if piece_index == len(self.pattern.pieces):
            return self._ends_well(at)
        piece = self.pattern.pieces[piece_index]
        for end in self._ends(piece_index, at):
            fresh = piece.name and piece.name not in self.bound
            if fresh:
                self.bound[piece.name] = (at, end)
            self.runs.append((at, end))
            if self._from(piece_index + 1, end):
                return True
            self.runs.pop()
            if fresh:
                del self.bound[piece.name]
        return False

    def _ends(self, piece_index: int, at: int) -> Iterator[int]:
        """Where the piece may end when it starts at token ``at``."""
        piece = self.pattern.pieces[piece_index]
        tokens = self.table.tokens
        if not piece.name:
            if at < self.limit and tokens[at].text == piece.text:
                yield at + 1
        elif piece.name in self.bound:
            low, high = self.bound[piece.name]
            end = at + high - low
            same = end <= self.limit and all(
                tokens[low + step].text == tokens[at + step].text for step in range(high - low)
            )
            if same:
                yield end
        elif piece.run == "statements":
            yield from self._statement_ends(at)
        elif piece.run == "arguments":
            yield from self._argument_ends(at)
        else:
            yield from (end for end in self.table.units.get(at, ()) if end <= self.limit)

    def _statement_ends(self, at: int) -> Iterator[int]:
        yield at
        block: int | None = None
        while at < self.limit and at in self.table.statements:
            at, own = self.table.statements[at]
            if at > self.limit or (block is not None and own != block):
                return
            block = own
            yield at

    def _argument_ends(self, at: int) -> Iterator[int]:
        yield at
        while at < self.limit and at in self.table.units:
            at = self.table.units[at][0]
            yield at
            if at >= self.limit or self.table.tokens[at].text != ",":
                return
            at += 1

    def _ends_well(self, end: int) -> bool:
        """An expression must be one node; statements whole siblings."""
        if end == self.start:
            return False
        if self.pattern.form is Form.EXPRESSION:
            return end in self.table.units.get(self.start, ())
        at = self.start
        block: int | None = None
        while at < end:
            if at not in self.table.statements:
                return False
            at, own = self.table.statements[at]
            if block is not None and own != block:
                return False
            block = own
        return at == end
