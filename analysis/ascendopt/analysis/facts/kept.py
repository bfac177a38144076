"""Instances that outlive an edit.

Walking all instances again is most of an analysis, and an edit changes few of them. A kept instance comes with the
questions that its walk asked of the program (``reads.Query``); while the program that was read last gives the same
answers to them, the walk would come out the same. Places inside it move with their regions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.places import Region
from ascendopt.analysis.facts.program import Program
from ascendopt.analysis.facts.reads import EffectsOf, Query, Reads
from ascendopt.analysis.operators import TilingStruct

InstanceKey = tuple[Region, tuple[tuple[str, str], ...], tuple[bool, ...]]
"""Entry (or class), dtype column, arms taken."""
Structs = tuple[tuple[str, object], ...]


@dataclass(frozen=True, eq=False)
class Kept:
    """An instance, the number of forks that its walk met, and what it read."""

    instance: Instance
    forks: int
    reads: Reads


class KeptInstances:
    """The instances of one kernel as they were walked last."""

    def __init__(self) -> None:
        self._kept: dict[InstanceKey, Kept] = {}
        self._answers: dict[Query, object] = {}
        self._structs: Structs = ()
        self._used: dict[InstanceKey, Kept] = {}

    def begin(self, program: Program, structs: dict[str, TilingStruct]) -> None:
        """Drop what does not hold for ``program``."""
        fields: Structs = tuple((name, (struct.fields, struct.ops)) for name, struct in structs.items())
        if fields != self._structs:
            self._structs, self._kept, self._answers = fields, {}, {}
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
        self._kept = {
            key: kept for key, kept in self._kept.items() if not _is_touched(kept.reads, changed, effects, touched)
        }
        self._answers = answers
        self._used = {}

    def get(self, key: InstanceKey) -> Kept | None:
        """The instance of ``key``, if walking it again would give the same."""
        kept = self._kept.get(key)
        if kept is not None:
            self._used[key] = kept
        return kept

    def add(self, key: InstanceKey, kept: Kept, program: Program) -> None:
        """Keep an instance that was just walked."""
        self._used[key] = kept
        for query in kept.reads.queries:
            if query not in self._answers:
                self._answers[query] = program.answer(query)

    def end(self) -> None:
        """Forget what the kernel has no more."""
        self._kept = self._used
        asked: set[Query] = set()
        for kept in self._kept.values():
            asked |= kept.reads.queries
        self._answers = {query: answer for query, answer in self._answers.items() if query in asked}


def _is_touched(reads: Reads, changed: set[Query], effects: set[str], touched: dict[EffectsOf, frozenset[str]]) -> bool:
    if not reads.queries.isdisjoint(changed):
        return True
    if reads.held.isdisjoint(effects):
        return False
    return any(not names.isdisjoint(reads.held) for query, names in touched.items() if query in reads.queries)
