"""Which parts of a pattern stay, when it becomes another: statements first, then the tokens of those that stay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ascendopt.analysis.patterns.pattern import Pattern, Piece, Segment

_SIMILAR = 0.4
_RUN_OF_STATEMENTS = 1000.0
T = TypeVar("T")
S = TypeVar("S")


def align_segments(before: Pattern, after: Pattern) -> list[tuple[int, int]]:
    """Pairs of segment numbers that stay, in order. Segments without a partner go or come whole."""

    def score(left: Segment, right: Segment) -> float:
        old, new = _pieces(before, left), _pieces(after, right)
        if old[0].run == "statements":
            # Whatever stands there, with its comments: it stays where it is.
            return _RUN_OF_STATEMENTS if old[0].text == new[0].text else 0
        if old[-1].text != new[-1].text and "{" in (old[-1].text, new[-1].text):
            return 0
        common = sum(_weight(old[i]) for i, _ in align_pieces(old, new))
        whole = (sum(map(_weight, old)) + sum(map(_weight, new))) / 2
        if common < _SIMILAR * whole:
            return 0
        same = [piece.text for piece in old] == [piece.text for piece in new]
        # Equal statements first; statements that stay at their depth before others.
        return common * (4 if same else 1) + (0.5 if left.depth == right.depth else 0)

    return _align(before.segments, after.segments, score)


def align_pieces(old: Sequence[Piece], new: Sequence[Piece]) -> list[tuple[int, int]]:
    """Pairs of piece numbers with equal text, in order, as heavy as possible."""
    return _align(old, new, lambda left, right: _weight(left) if left.text == right.text else 0)


def _pieces(pattern: Pattern, segment: Segment) -> tuple[Piece, ...]:
    return pattern.pieces[segment.start : segment.end]


def _weight(piece: Piece) -> float:
    if piece.run:
        return 8
    if piece.name:
        return 3
    return 2 if piece.text[0].isalnum() or piece.text[0] == "_" else 1


def _align(old: Sequence[T], new: Sequence[S], score: Callable[[T, S], float]) -> list[tuple[int, int]]:
    """Heaviest common subsequence."""
    rows, columns = len(old), len(new)
    scores = [[score(left, right) for right in new] for left in old]
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            pair = scores[i][j] + best[i + 1][j + 1] if scores[i][j] > 0 else 0.0
            best[i][j] = max(pair, best[i + 1][j], best[i][j + 1])
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < rows and j < columns:
        if scores[i][j] > 0 and best[i][j] == scores[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs
