"""The pipes and queues that a kernel declares as members of its classes, and the local pipes that its runs met."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ascendopt.analysis.facts.declared import PipeFact, QueueFact
from ascendopt.analysis.facts.events import PipeEvent
from ascendopt.analysis.facts.kept import Kept, KeptWalks
from ascendopt.analysis.facts.kernel_walk import KernelWalk
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.names import QUEUES, split_template
from ascendopt.analysis.facts.places import Region
from ascendopt.analysis.facts.program import Program
from ascendopt.analysis.facts.runtime import ArrayRef, Frame, Object, PipeRef, QueueRef
from ascendopt.analysis.facts.unit import ClassInfo
from ascendopt.analysis.operators import TilingStruct

_MEMBERS = (*QUEUES, "TPipe")
Members = tuple[PipeFact | QueueFact, ...]


def declared_members(
    program: Program, instances: Iterable[Instance], table: dict[str, TilingStruct], kept: KeptWalks
) -> tuple[tuple[PipeFact, ...], tuple[QueueFact, ...]]:
    """All pipes and all queues. ``kept`` has those of classes that read the same in the analysis before."""
    pipes: dict[tuple[Path, int], PipeFact] = {}
    queues: list[QueueFact] = []
    for info in (info for infos in program.classes.values() for info in infos):
        for member in _members(program, info, table, kept):
            if isinstance(member, QueueFact):
                queues.append(member)
            else:
                pipes[_place(member)] = member
    for event in (event for instance in instances for event in instance.of(PipeEvent)):
        if event.pipe is not None:
            pipes.setdefault(_place(event.pipe), event.pipe)
    return tuple(pipes.values()), tuple(queues)


def _place(pipe: PipeFact) -> tuple[Path, int]:
    return pipe.site.path, pipe.site.span.start


def _members(program: Program, info: ClassInfo, table: dict[str, TilingStruct], kept: KeptWalks) -> Members:
    known = kept.members.get(info.place.region)
    if known is None:
        reads = program.start_reads()
        reads.queries.add(info.name)
        known = Kept(_walked(program, info, table), reads)
        kept.members.add(info.place.region, known)
    return known.made


def _walked(program: Program, info: ClassInfo, table: dict[str, TilingStruct]) -> Members:
    walk = KernelWalk(program, Frame(None, Path(), Region(), None, {}))
    walk.start(())
    walk.tiling_structs = table
    holder = Object(info, {})
    found: list[PipeFact | QueueFact] = []
    for declared in info.fields.values():
        if declared.indirect or split_template(walk.resolve_type(declared.type))[0] not in _MEMBERS:
            continue
        value = walk.in_class(holder, {}, declared)
        if isinstance(value, ArrayRef):
            value = value.element
        if isinstance(value, (QueueRef, PipeRef)) and value.fact is not None:
            found.append(value.fact)
    return tuple(found)
