"""What a walk read of its program: the inputs that decide whether its result can be kept after an edit."""

from __future__ import annotations

from collections.abc import ItemsView, Mapping, ValuesView
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ascendopt.analysis.facts.ir import If
from ascendopt.analysis.facts.places import Region

ItemT = TypeVar("ItemT")


@dataclass(frozen=True)
class EffectsOf:
    """The names that the functions called ``name`` assign, with what they call."""

    name: str


@dataclass(frozen=True)
class WritesOf:
    """The parameters that functions called ``name`` can write to."""

    name: str


@dataclass(frozen=True)
class ForkAt:
    """Whether the link of an entry's chain with this region builds a kernel."""

    link: Region


Query = str | Region | If | EffectsOf | WritesOf | ForkAt
"""A question to a program (``Program.answer``): a name asks for its declarations without function bodies, a region
for its text, a branch for whether it builds a kernel."""


@dataclass(eq=False)
class Reads:
    """The questions of one walk. ``held`` are the variables that there were when a loop forgot what it assigns:
    effects on other names do not matter."""

    queries: set[Query] = field(default_factory=set[Query])
    held: set[str] = field(default_factory=set[str])


class Watched(Generic[ItemT]):
    """A name table of a program; a look-up is a question, whether or not the name is there."""

    __slots__ = ("_items", "reads")

    def __init__(self, items: Mapping[str, ItemT], reads: Reads) -> None:
        self._items = items
        self.reads = reads

    def get(self, name: str) -> ItemT | None:
        """What ``name`` stands for, or None."""
        self.reads.queries.add(name)
        return self._items.get(name)

    def __getitem__(self, name: str) -> ItemT:
        self.reads.queries.add(name)
        return self._items[name]

    def __contains__(self, name: str) -> bool:
        self.reads.queries.add(name)
        return name in self._items

    # Only for readers outside of walks: these are not recorded.

    def values(self) -> ValuesView[ItemT]:
        """All items."""
        return self._items.values()

    def items(self) -> ItemsView[str, ItemT]:
        """All names with their items."""
        return self._items.items()
