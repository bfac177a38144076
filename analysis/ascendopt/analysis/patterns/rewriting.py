"""Turns a match of one pattern into another: exact, minimal edits on the original bytes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from ascendopt.analysis.findings import Span, TextEdit
from ascendopt.analysis.patterns.alignment import align_pieces, align_segments
from ascendopt.analysis.patterns.layout import Layout
from ascendopt.analysis.patterns.matching import Match
from ascendopt.analysis.patterns.pattern import Pattern, PatternError, Piece, Segment
from ascendopt.analysis.patterns.tokens import NAMESPACE

# Names of the library are in capitals with small letters: Add, DataCopyParams; PIPE_ALL and T are not.
_LIBRARY_NAME = re.compile(r"[A-Z]\w*[a-z]\w*")


def instantiate(
    template: Pattern,
    bindings: Mapping[str, str],
    indent: str = "",
    newline: str = "\n",
    step: str = "    ",
    qualified: bool = False,
) -> str:
    """The template's text with variables replaced, each line after the first indented by ``indent``.

    Bound text goes in verbatim. With ``qualified``, names of the library get ``AscendC::``. Raises PatternError.
    """
    return _Writer(template, bindings, indent, newline, step, qualified).text(0, len(template.pieces))


def edits(match: Match, after: Pattern, bindings: Mapping[str, str] | None = None) -> tuple[TextEdit, ...]:
    """What turns ``match`` into ``after``: statements and tokens that both have are not touched, comments survive.

    ``bindings`` gives variables that only ``after`` has. Raises PatternError.
    """
    return _Rewrite(match, after, bindings or {}).edits()


class _Writer:
    """Writes pieces of a template as they stand in its text."""

    def __init__(
        self, template: Pattern, bindings: Mapping[str, str], indent: str, newline: str, step: str, qualified: bool
    ) -> None:
        missing = sorted(template.names - bindings.keys())
        if missing:
            raise PatternError(f"the template {template.text!r} uses ${missing[0]}, which nothing is bound to.")
        self.template = template
        self.bindings = bindings
        self.indent = indent
        self.newline = newline
        self.step = step
        self.qualified = qualified

    def text(self, start: int, end: int, lead: bool = False, base: int = 0) -> str:
        """Pieces ``[start, end)``; ``lead`` includes the white space before. ``base`` is the depth at ``indent``."""
        pieces = self.template.pieces
        parts: list[str] = []
        for index in range(start, end):
            if index > start or lead:
                before = pieces[index - 1].end if index else 0
                parts.append(self._gap(self.template.slice(before, pieces[index].start), base))
            parts.append(self._piece(index))
        return "".join(parts)

    def _gap(self, gap: str, base: int) -> str:
        if "\n" not in gap:
            return gap
        spaces = len(gap) - gap.rfind("\n") - 1
        # Patterns are written with four spaces a block.
        return self.newline + self.indent + self.step * max(0, spaces // 4 - base)

    def _piece(self, index: int) -> str:
        piece = self.template.pieces[index]
        if piece.name:
            return self.bindings[piece.name]
        return f"{NAMESPACE}::{piece.text}" if self.qualified and self.is_library_name(index) else piece.text

    def is_library_name(self, index: int) -> bool:
        pieces = self.template.pieces
        if index and pieces[index - 1].text in (".", "->", "::", "template"):
            return False
        following = pieces[index + 1] if index + 1 < len(pieces) else None
        called = following is not None and (following.text in ("(", "<", "{", "::") or following.text.startswith("$"))
        return called and _LIBRARY_NAME.fullmatch(pieces[index].text) is not None


@dataclass(frozen=True)
class _Anchor:
    """Segment ``old`` of the match that becomes segment ``new``."""

    old: int
    new: int


class _Rewrite:
    def __init__(self, match: Match, after: Pattern, extra: Mapping[str, str]) -> None:
        self.match = match
        self.before = match.pattern
        self.after = after
        self.layout = Layout(match.table.source.data)
        self.bindings = {name: binding.text for name, binding in match.bindings.items()} | dict(extra)
        self.changes: list[tuple[Span, str]] = []
        start = match.span.start
        self.newline = self.layout.newline(start)
        self.step = self.layout.step(start)
        self.writer(0, "")  # says early what is not bound

    def writer(self, depth: int, indent: str) -> _Writer:
        """A writer for lines at ``indent``, which a segment of ``depth`` has."""
        return _Writer(self.after, self.bindings, indent, self.newline, self.step, self.match.qualified)

    def edits(self) -> tuple[TextEdit, ...]:
        pairs = [_Anchor(old, new) for old, new in align_segments(self.before, self.after)]
        kept = {pair.old for pair in pairs}
        replaced = self._replacements(pairs)
        kept |= {old for old, _ in replaced}
        if not kept:
            return self._all_over()
        self._deletions([index for index in range(len(self.before.segments)) if index not in kept])
        for old, new in replaced:
            self._replace(old, new)
        for pair in pairs:
            self._inside(pair)
        self._insertions(sorted([*pairs, *(_Anchor(*pair) for pair in replaced)], key=lambda pair: pair.new))
        self._shift(pairs)
        return self._joined()

    def _all_over(self) -> tuple[TextEdit, ...]:
        """Nothing stays: the new text goes where the last statement was."""
        segments = self.before.segments
        last = max(i for i, segment in enumerate(segments) if self._is_filled(segment))
        self._deletions(list(range(last)))
        span = self._old_span(segments[last])
        writer = self.writer(0, self.layout.indent(span.start))
        self.changes.append((span, writer.text(0, len(self.after.pieces))))
        return self._joined()

    def _is_filled(self, segment: Segment) -> bool:
        span = self._old_span(segment)
        return span.start < span.end

    def _joined(self) -> tuple[TextEdit, ...]:
        """In order; insertions at one place become one."""
        joined: list[tuple[Span, str]] = []
        for span, text in sorted(self.changes, key=lambda change: (change[0].start, change[0].end)):
            if joined and joined[-1][0] == span and span.start == span.end:
                joined[-1] = (span, joined[-1][1] + text)
            else:
                joined.append((span, text))
        path = self.match.table.source.path
        return tuple(TextEdit(path, span, text) for span, text in joined)

    # ------------------------------------------------------------------ places

    def _old_span(self, segment: Segment) -> Span:
        places = self.match.places[segment.start : segment.end]
        filled = [span for span in places if span.start < span.end]
        if not filled:
            return places[0]
        return Span(filled[0].start, filled[-1].end)

    # ------------------------------------------------------------------ whole statements

    def _replacements(self, pairs: list[_Anchor]) -> list[tuple[int, int]]:
        """Statements that go where one of the same depth comes: one is written over the other."""
        result: list[tuple[int, int]] = []
        ends = [*pairs, _Anchor(len(self.before.segments), len(self.after.segments))]
        old = new = 0
        for pair in ends:
            if pair.old - old == 1 and pair.new - new == 1:
                left, right = self.before.segments[old], self.after.segments[new]
                last = self.before.pieces[left.end - 1].text
                if last == self.after.pieces[right.end - 1].text != "}" and left.depth == right.depth:
                    result.append((old, new))
            old, new = pair.old + 1, pair.new + 1
        return result

    def _replace(self, old: int, new: int) -> None:
        segment = self.after.segments[new]
        span = self._old_span(self.before.segments[old])
        writer = self.writer(segment.depth, self.layout.indent(span.start))
        self.changes.append((span, writer.text(segment.start, segment.end, base=segment.depth)))

    def _deletions(self, indices: list[int]) -> None:
        """Neighbours with nothing but white space between them (``} else {``) go as one."""
        spans: list[tuple[int, Span]] = []
        for index in indices:
            span = self._old_span(self.before.segments[index])
            if span.start == span.end:
                continue
            previous = spans[-1] if spans else None
            if previous and previous[0] == index - 1 and not self.layout.data[previous[1].end : span.start].strip():
                spans[-1] = (index, Span(previous[1].start, span.end))
            else:
                spans.append((index, span))
        for _, span in spans:
            self._delete(span)

    def _delete(self, span: Span) -> None:
        whole = self.layout.whole_lines(span)
        if whole is None:
            data = self.layout.data
            end = span.end
            while data[end : end + 1] in (b" ", b"\t"):
                end += 1
            start = span.start
            if self.layout.ends_line(span.end):
                end = span.end
                while data[start - 1 : start] in (b" ", b"\t"):
                    start -= 1
            whole = Span(start, end)
        self.changes.append((whole, ""))

    def _insertions(self, pairs: list[_Anchor]) -> None:
        kept = {pair.new for pair in pairs}
        index = 0
        while index < len(self.after.segments):
            if index in kept:
                index += 1
                continue
            end = index + 1
            while end < len(self.after.segments) and end not in kept:
                end += 1
            self._insert(index, end, pairs)
            index = end

    def _insert(self, first: int, end: int, pairs: list[_Anchor]) -> None:
        """Write segments ``[first, end)`` before what follows them, else after what precedes them."""
        following = next((pair for pair in pairs if pair.new >= end and self._is_there(pair)), None)
        preceding = next((pair for pair in reversed(pairs) if pair.new < first and self._is_there(pair)), None)
        start_piece = self.after.segments[first].start
        end_piece = self.after.segments[end - 1].end
        depth = self.after.segments[first].depth
        if following is not None:
            span = self._old_span(self.before.segments[following.old])
            level = self.before.segments[following.old].depth
            indent = self._indent_at(span.start, depth - level)
            text = self.writer(depth, indent).text(start_piece, end_piece, base=depth)
            if self.layout.begins_line(span.start):
                at = self.layout.line_start(span.start)
                self.changes.append((Span(at, at), f"{indent}{text}{self.newline}"))
            else:
                self.changes.append((Span(span.start, span.start), f"{text} "))
            return
        if preceding is None:
            raise PatternError(f"{self.after.text!r} has nothing in common with {self.before.text!r} to stand next to.")
        span = self._old_span(self.before.segments[preceding.old])
        level = self.before.segments[preceding.old].depth
        indent = self._indent_at(span.start, depth - level)
        text = self.writer(depth, indent).text(start_piece, end_piece, base=depth)
        if self.layout.ends_line(span.end) and self.layout.data[: self.layout.line_end(span.end)].endswith(b"\n"):
            at = self.layout.line_end(span.end)
            self.changes.append((Span(at, at), f"{indent}{text}{self.newline}"))
        else:
            self.changes.append((Span(span.end, span.end), f"{self.newline}{indent}{text}"))

    def _is_there(self, pair: _Anchor) -> bool:
        return self._is_filled(self.before.segments[pair.old])

    def _indent_at(self, offset: int, steps: int) -> str:
        indent = self.layout.indent(offset)
        if steps >= 0:
            return indent + self.step * steps
        inner = self.layout.step(offset)
        return indent[: max(0, len(indent) + steps * len(inner))]

    # ------------------------------------------------------------------ inside of statements

    def _inside(self, pair: _Anchor) -> None:
        old, new = self.before.segments[pair.old], self.after.segments[pair.new]
        left: tuple[Piece, ...] = self.before.pieces[old.start : old.end]
        right: tuple[Piece, ...] = self.after.pieces[new.start : new.end]
        pairs = [(-1, -1), *align_pieces(left, right), (len(left), len(right))]
        for (old_low, new_low), (old_high, new_high) in pairwise(pairs):
            if old_high - old_low > 1 or new_high - new_low > 1:
                self._change(
                    old.start + old_low, old.start + old_high, new.start + new_low, new.start + new_high, old, new
                )

    def _change(self, old_low: int, old_high: int, new_low: int, new_high: int, old: Segment, new: Segment) -> None:
        """Between two kept pieces (numbers exclusive): old ones go, new ones come."""
        places = self.match.places
        first = self.match.span.start if old_low < old.start else places[old_low].end
        indent = self.layout.indent(self._old_span(old).start)
        writer = self.writer(new.depth, indent)
        inserted = new_high - new_low > 1
        if old_high - old_low == 1:  # only new ones
            if old_low < old.start:
                at = places[old_high].start
                text = writer.text(new_low + 1, new_high, base=new.depth)
                gap = self.after.slice(self.after.pieces[new_high - 1].end, self.after.pieces[new_high].start)
                self.changes.append((Span(at, at), text + gap))
                return
            text = writer.text(new_low + 1, new_high, lead=True, base=new.depth)
            self.changes.append((Span(first, first), text))
            return
        start, end = places[old_low + 1].start, places[old_high - 1].end
        if not inserted:
            if old_low < old.start and old_high < len(places):
                self.changes.append((Span(start, places[old_high].start), ""))
            else:
                self.changes.append((Span(first, end), ""))
            return
        self._overwrite(Span(start, end), old_low + 1, writer, new_low + 1, new_high, new.depth)

    def _overwrite(self, span: Span, old_first: int, writer: _Writer, new_first: int, new_end: int, base: int) -> None:
        """One name of the library over another leaves the qualification in place."""
        table = self.match.table
        token = table.tokens[table.first_from(span.start)]
        text = writer.text(new_first, new_end, base=base)
        prefix = f"{NAMESPACE}::"
        if token.is_qualified and not self.before.pieces[old_first].name and text.startswith(prefix):
            span = Span(token.start, span.end)
            text = text[len(prefix) :]
        if text != table.text(span):
            self.changes.append((span, text))

    # ------------------------------------------------------------------ indentation

    def _shift(self, pairs: list[_Anchor]) -> None:
        """Statements that move into a block, or out of one, keep their relative indentation."""
        moved: list[tuple[Span, int]] = []
        last = 0
        for pair in pairs:
            old, new = self.before.segments[pair.old], self.after.segments[pair.new]
            span = self._old_span(old)
            if span.start == span.end:
                continue
            by = new.depth - old.depth
            if by and by == last:
                # Together with what stands between the two: comments move along.
                moved[-1] = (Span(moved[-1][0].start, span.end), by)
            elif by:
                moved.append((span, by))
            last = by
        for moving, by in moved:
            span = self._with_comments(moving) if by < 0 else moving
            starts = self.layout.lines(span)
            if self.layout.begins_line(span.start):
                starts.insert(0, self.layout.line_start(span.start))
            for at in starts:
                self._shift_line(at, by)

    def _with_comments(self, span: Span) -> Span:
        """What leaves a block takes along the comments before and after it there."""
        tokens = self.match.table.tokens
        low, high = self.match.table.first_from(span.start), self.match.table.first_from(span.end)
        start = self.layout.line_end(tokens[low - 1].end) if low else 0
        end = self.layout.line_start(tokens[high].outer) if high < len(tokens) else span.end
        return Span(min(start, span.start), max(end, span.end))

    def _shift_line(self, at: int, by: int) -> None:
        indent = self.layout.indent(at)
        line = self.layout.data[at : self.layout.line_end(at)]
        if not line.strip() or line.lstrip().startswith(b"#"):
            return
        if by > 0:
            self.changes.append((Span(at, at), self.step * by))
        else:
            width = min(len(indent), len(self.step) * -by)
            self.changes.append((Span(at, at + width), ""))
