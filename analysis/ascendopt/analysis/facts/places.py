"""Places that move with the text around them.

An edit moves everything below it. What is known of a function is kept across edits, so its places are relative
to a ``Region`` (the function, field or class that they lie in), and only the region's start is set anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ascendopt.analysis.findings import Span


class Content(NamedTuple):
    """The text of a region as parsed and as written. ``tree`` is its syntax tree where that has errors: only then
    does the tree depend on more than the text."""

    masked: bytes
    data: bytes
    tree: str = ""


NO_CONTENT = Content(b"", b"")


@dataclass(eq=False, slots=True)
class Region:
    """A stretch of a file with an identity of its own. ``at`` is its first byte in the version read last."""

    at: int = 0
    content: Content = NO_CONTENT


@dataclass(slots=True, eq=False)
class Place:
    """A half-open byte range relative to the start of a region. Equal where the bytes of the file are the same.

    Nobody changes one; it is not frozen because making one then takes three times as long, and walks make many.
    """

    region: Region
    start: int
    end: int

    @property
    def span(self) -> Span:
        """The range in the file, as it is now."""
        at = self.region.at
        return Span(at + self.start, at + self.end)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Place):
            return False
        shift = other.region.at - self.region.at
        return self.start == other.start + shift and self.end == other.end + shift

    def __hash__(self) -> int:
        return hash(self.end - self.start)  # a move must not change it


RegionKey = tuple[str, str, str, int]


class Taken(NamedTuple):
    """A region as it was taken: kind, owner and name, and what it holds from byte ``at``."""

    group: tuple[str, str, str]
    region: Region
    at: int
    content: Content


class Regions:
    """The regions of one version of a file. One that was there before (by kind, owner, name and ordinal) is the
    same object, moved."""

    def __init__(self, before: Regions | None = None) -> None:
        self._before = before.table if before is not None else {}
        self._ordinals: dict[tuple[str, str, str], int] = {}
        self.taken: list[Taken] = []
        self.table: dict[RegionKey, Region] = {}

    def take(self, kind: str, owner: str, name: str, at: int, content: Content) -> Region:
        """The region of the next ``kind`` called ``name`` in ``owner``."""
        group = (kind, owner, name)
        ordinal = self._ordinals.get(group, 0)
        self._ordinals[group] = ordinal + 1
        key = (*group, ordinal)
        region = self._before.get(key) or Region()
        if content == region.content:
            content = region.content  # later comparisons are then by identity
        region.at, region.content = at, content
        self.table[key] = region
        self.taken.append(Taken(group, region, at, content))
        return region

    def take_again(self, taken: Sequence[Taken], start: int) -> bool:
        """Take what the version before took, ``start`` bytes on. False, and nothing is taken, where another region
        would be found for one of them."""
        ordinals: dict[tuple[str, str, str], int] = {}
        keys: list[RegionKey] = []
        for each in taken:
            ordinal = ordinals.get(each.group)
            if ordinal is None:
                ordinal = self._ordinals.get(each.group, 0)
            ordinals[each.group] = ordinal + 1
            keys.append((*each.group, ordinal))
            if self._before.get(keys[-1]) is not each.region:
                return False
        self._ordinals.update(ordinals)
        for key, (group, region, at, content) in zip(keys, taken, strict=True):
            region.at, region.content = start + at, content
            self.table[key] = region
            self.taken.append(Taken(group, region, start + at, content))
        return True

    def finish(self) -> None:
        """All regions are taken: the version before is not needed any more."""
        self._before = {}

    def place(self) -> None:
        """Another version was read meanwhile: set everything as it is in this one."""
        for each in self.taken:
            each.region.at, each.region.content = each.at, each.content
