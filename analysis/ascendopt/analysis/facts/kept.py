"""Walks that outlive an edit.

Walking all instances again is most of an analysis, and an edit changes few of them. What is kept of a walk comes with
the questions that it asked of the program (``reads.Query``); while the program that was read last gives the same
answers, the walk would come out the same. Places inside it move with their regions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from ascendopt.analysis.facts.declared import PipeFact, QueueFact
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.places import Region
from ascendopt.analysis.facts.program import Program
from ascendopt.analysis.facts.reads import EffectsOf, Query, Reads
from ascendopt.analysis.operators import TilingStruct

KeyT = TypeVar("KeyT", bound=Hashable)
MadeT = TypeVar("MadeT")
InstanceKey = tuple[Region, tuple[tuple[str, str], ...], tuple[bool, ...]]
"""Entry (or class), dtype column, arms taken."""
Structs = tuple[tuple[str, object], ...]


@dataclass(frozen=True, eq=False)
class Kept(Generic[MadeT]):
    """What a walk made, and what it read for that."""

    made: MadeT
    reads: Reads


@dataclass(frozen=True)
class Run:
    """An instance, and the number of forks that its walk met."""

    instance: Instance
    forks: int


class KeptTable(Generic[KeyT, MadeT]):
    """The walks of one kind, by what is walked."""

    def __init__(self) -> None:
        self._kept: dict[KeyT, Kept[MadeT]] = {}
        self._used: dict[KeyT, Kept[MadeT]] = {}

    def get(self, key: KeyT) -> Kept[MadeT] | None:
        """What was made of ``key``, if walking it again would give the same."""
        kept = self._kept.get(key)
        if kept is not None:
            self._used[key] = kept
        return kept

    def add(self, key: KeyT, kept: Kept[MadeT]) -> None:
        """Keep what was just made."""
        self._used[key] = kept

    def begin(self, holds: Callable[[Reads], bool]) -> None:
        """Drop what does not hold."""
        self._kept = {key: kept for key, kept in self._kept.items() if holds(kept.reads)}
        self._used = {}

    def end(self) -> Iterator[Reads]:
        """Forget what was not asked for since ``begin``; the reads of what is left."""
        self._kept = self._used
        return (kept.reads for kept in self._kept.values())


class KeptWalks:
    """The walks of one kernel as they came out last."""

    def __init__(self) -> None:
        self.instances: KeptTable[InstanceKey, Run] = KeptTable()
        self.members: KeptTable[Region, tuple[PipeFact | QueueFact, ...]] = KeptTable()
        self._answers: dict[Query, object] = {}
        self._structs: Structs = ()

    def begin(self, program: Program, structs: dict[str, TilingStruct]) -> None:
        """Drop what does not hold for ``program``."""
        fields: Structs = tuple((name, (struct.fields, struct.ops)) for name, struct in structs.items())
        same_structs = fields == self._structs
        self._structs = fields
        changed: set[Query] = set()
        effects: set[str] = set()  # names that came to or left the effects of some function
        touched: dict[EffectsOf, frozenset[str]] = {}
        answers: dict[Query, object] = {}
        for query, before in self._answers.items():
            now = answers[query] = program.answer(query)
            if now == before:
                continue
            if isinstance(query, EffectsOf):
                touched[query] = cast("frozenset[str]", now) ^ cast("frozenset[str]", before)
                effects |= touched[query]
            else:
                changed.add(query)
        self._answers = answers

        def holds(reads: Reads) -> bool:
            return same_structs and not _is_touched(reads, changed, effects, touched)

        self.instances.begin(holds)
        self.members.begin(holds)

    def end(self, program: Program) -> None:
        """Forget what the kernel has no more, and remember what ``program`` said to the questions of the rest."""
        reads = (*self.instances.end(), *self.members.end())
        asked = set[Query]().union(*(each.queries for each in reads))
        known = self._answers
        self._answers = {query: known[query] if query in known else program.answer(query) for query in asked}


def _is_touched(reads: Reads, changed: set[Query], effects: set[str], touched: dict[EffectsOf, frozenset[str]]) -> bool:
    if not reads.queries.isdisjoint(changed):
        return True
    if reads.held.isdisjoint(effects):
        return False
    return any(not names.isdisjoint(reads.held) for query, names in touched.items() if query in reads.queries)
