"""Texts as vectors, without a model: hashed words, word pairs, concepts and character n-grams.

No download, no network, and the same numbers on every machine: CRC-32 places each feature, square roots (correctly
rounded by IEEE 754) damp counts, and sums run in a fixed order.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Sequence

from ascendopt.bank.vocabulary import CONCEPT, Vocabulary, pairs

DIMENSIONS = 384
EMBEDDING_VERSION = 1
"""Raised whenever equal texts get other vectors or terms: banks are indexed anew."""

_NGRAM = 4
_WEIGHT_WORD = 1.0
_WEIGHT_CONCEPT = 2.0
_WEIGHT_PAIR = 0.5
_WEIGHT_NGRAM = 0.25


class Embedder:
    """Turns weighted texts into unit vectors of ``DIMENSIONS`` numbers."""

    def __init__(self) -> None:
        self._vocabulary = Vocabulary()

    def terms(self, text: str) -> str:
        """The terms of ``text`` with blanks between: what full-text search indexes and asks for."""
        return " ".join(self._vocabulary.terms(text))

    def embed(self, text: str) -> list[float]:
        """The vector of one text; all zeros for a text without words."""
        return self.embed_parts([(text, 1.0)])

    def embed_parts(self, parts: Iterable[tuple[str, float]]) -> list[float]:
        """The vector of several texts, each with its weight."""
        counts: dict[str, float] = {}
        for text, weight in parts:
            terms = self._vocabulary.terms(text)
            words = [term for term in terms if not term.startswith(CONCEPT)]
            for feature, base in _features(terms, words):
                counts[feature] = counts.get(feature, 0.0) + weight * base
        vector = [0.0] * DIMENSIONS
        for feature in sorted(counts):
            place = zlib.crc32(feature.encode())
            sign = 1.0 if place & 1 else -1.0
            vector[(place >> 1) % DIMENSIONS] += sign * math.sqrt(counts[feature])
        length = math.sqrt(math.fsum(x * x for x in vector))
        return [x / length for x in vector] if length else vector


def similarity(first: Sequence[float], second: Sequence[float]) -> float:
    """Cosine of two unit vectors, -1 to 1."""
    return math.fsum(a * b for a, b in zip(first, second, strict=True))


def _features(terms: Sequence[str], words: list[str]) -> Iterable[tuple[str, float]]:
    for term in terms:
        yield term, _WEIGHT_CONCEPT if term.startswith(CONCEPT) else _WEIGHT_WORD
    for pair in pairs(words):
        yield pair, _WEIGHT_PAIR
    for word in words:
        padded = f"<{word}>"
        for start in range(len(padded) - _NGRAM + 1):
            yield "#" + padded[start : start + _NGRAM], _WEIGHT_NGRAM
