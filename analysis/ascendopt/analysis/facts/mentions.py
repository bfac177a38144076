"""Whether sources name a tiling field at all: what a walk that did not get everywhere may have missed.

A name counts wherever it stands outside of comments, strings and the declarations of tiling structs, also in branches
that are not compiled for the chip: what is not named anywhere is neither set nor read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ascendopt.analysis.findings import Span
from ascendopt.analysis.operators.model import TilingStruct
from ascendopt.analysis.source import SourceFile

_COPIES = (b"memcpy", b"memmove", b"memset", b"reinterpret_cast", b"copy_n", b"std::copy")
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\r\n]+)"', re.MULTILINE)


class Mentions:
    """The names in the sources of one side."""

    def __init__(self, sources: Iterable[SourceFile], structs: Iterable[TilingStruct]) -> None:
        self._sources = tuple(sources)
        self._declared: dict[Path, list[Span]] = {}
        self._words: dict[Path, frozenset[bytes]] = {}
        for struct in structs:
            self._declared.setdefault(struct.path, []).append(struct.span)

    def has(self, *names: str) -> bool:
        """True when one of ``names`` stands somewhere."""
        return any(self._stands(source, name.encode()) for source in self._sources for name in names)

    def arguments_of(self, macro: str) -> frozenset[str]:
        """What stands between the parentheses behind ``macro``, wherever it is used, also in code that is not compiled
        for the chip."""
        call = re.compile(rb"\b" + macro.encode() + rb"\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
        found = (match[1] for source in self._sources for match in call.finditer(source.data))
        return frozenset(text.decode("utf-8", "replace").strip() for text in found)

    @property
    def makes_names(self) -> bool:
        """True when macros put names together (``set_##field``), so that a name may be meant and not stand there."""
        return any(b"##" in source.data for source in self._sources)

    @property
    def copies_bytes(self) -> bool:
        """True when memory is written other than by name."""
        return any(word in source.data for source in self._sources for word in _COPIES)

    @property
    def is_whole(self) -> bool:
        """False when a file of the operator's own that may hold tiling is included and was not found."""
        known = {source.path.name for source in self._sources}
        return not any(Path(name).name not in known and _is_own(name) for name in self._included())

    def _included(self) -> Iterator[str]:
        for source in self._sources:
            yield from (match[1].decode("utf-8", "replace") for match in _INCLUDE.finditer(source.data))

    def _stands(self, source: SourceFile, name: bytes) -> bool:
        if name not in source.data:
            return False
        words = self._words.get(source.path)
        if words is None:
            words = self._words[source.path] = source.words(self._declared.get(source.path, ()))
        return name in words


def _is_own(name: str) -> bool:
    """True for what no toolkit brings: beside the file, or up the tree."""
    beside = "/" not in name and not name.startswith("kernel_")
    return "iling" in name and (beside or name.startswith("..")) if name.endswith(".h") else beside
