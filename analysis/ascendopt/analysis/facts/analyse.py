"""From sources to facts: reads files, finds the instances of a kernel, walks them."""

from __future__ import annotations

import os
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from operator import is_
from pathlib import Path
from typing import Generic, TypeVar

from ascendopt.analysis.chips import Chip, load_chip
from ascendopt.analysis.facts.cache import BodyCache, BoundedCache
from ascendopt.analysis.facts.host_walk import walk_host
from ascendopt.analysis.facts.instances import Instances
from ascendopt.analysis.facts.kept import KeptWalks
from ascendopt.analysis.facts.kernel_walk import KernelWalk
from ascendopt.analysis.facts.members import declared_members
from ascendopt.analysis.facts.model import KernelModel
from ascendopt.analysis.facts.operator_facts import OperatorFacts
from ascendopt.analysis.facts.places import Region
from ascendopt.analysis.facts.program import Program
from ascendopt.analysis.facts.runtime import Frame, Object
from ascendopt.analysis.facts.tiling_model import TilingModel
from ascendopt.analysis.facts.unit import FunctionInfo, Unit
from ascendopt.analysis.facts.unit_reader import read_unit
from ascendopt.analysis.operators import OpDef, Operator, TilingStruct, entries_for, structs_for
from ascendopt.analysis.operators.tiling_structs import parse_tiling_structs
from ascendopt.analysis.source import SourceFile, chip_macros
from ascendopt.analysis.values import Value

MadeT = TypeVar("MadeT")
_FRAMES = 6000
"""Of the interpreter: a chain of `else if` nests its branches; kernels with a hundred tiling keys have long ones."""
_INCLUDE = re.compile(rb'#[ \t]*include[ \t]*"([^"\r\n]+)"')


class _Versions:
    """The versions of one file that were read last: of the editor and of the disk, or for two chips."""

    def __init__(self) -> None:
        self._read: list[tuple[SourceFile, Unit]] = []

    def unit(self, source: SourceFile, bodies: BodyCache) -> Unit:
        """Declarations of ``source``, which is the last version from now on."""
        known = [unit for version, unit in self._read if version is source]
        before = self._read[0][1] if self._read else None
        unit = known[0] if known else read_unit(source, bodies, before)
        if unit is not before:
            unit.regions.place()
            others = [entry for entry in self._read if entry[0] is not source]
            self._read = [(source, unit), *others[:1]]
        return unit


class _OfUnits(Generic[MadeT]):
    """What was made of some units lately: the same as long as no file changed and the same is asked."""

    def __init__(self, limit: int) -> None:
        self._made: deque[tuple[object, list[Unit], MadeT]] = deque(maxlen=limit)

    def get(self, asked: object, units: list[Unit], make: Callable[[], MadeT]) -> MadeT:
        for known, before, made in self._made:
            if known == asked and len(before) == len(units) and all(map(is_, before, units)):
                return made
        made = make()
        self._made.append((asked, units, made))
        return made


class FactsCache:
    """Keep one for a session: an edit then lowers again only the functions whose text changed.

    ``operators`` is of how many the facts are kept: those of a large one take 150 MB. An operator has up to a hundred
    files; the trees of all that were read last stay, so that coming back to one costs no parsing.
    """

    def __init__(self, operators: int = 16) -> None:
        self.bodies: BodyCache = BoundedCache(1000 + 200 * operators)
        self.sources: BoundedCache[tuple[Path, bytes, str], SourceFile] = BoundedCache(140 + 10 * operators)
        self._units: BoundedCache[Path, _Versions] = BoundedCache(120 + 30 * operators)
        self._hosts: _OfUnits[TilingModel] = _OfUnits(max(2, operators // 2))
        self._kernels: _OfUnits[KernelModel] = _OfUnits(min(2, operators))
        self._walks: BoundedCache[tuple[str, tuple[Path, ...]], KeptWalks] = BoundedCache(operators)

    def source(self, path: Path, soc: str) -> SourceFile:
        """A file on disk, parsed for one chip. Raises OSError."""
        data = path.read_bytes()
        return self.sources.get((path, data, soc), lambda: SourceFile.of(path, data, macros_of(soc)))

    def unit(self, source: SourceFile) -> Unit:
        """Declarations of a parsed file. From now on, places in this file are those of ``source``."""
        return self._units.get(source.path, _Versions).unit(source, self.bodies)

    def host(self, units: list[Unit], operator: Operator) -> TilingModel:
        """Facts of the host side; those of the analysis before when none of its files changed."""
        structs = tuple((struct.name, struct.fields, struct.ops) for struct in operator.tiling_structs)
        asked = (operator.root, operator.tiling_functions, structs)
        return self._hosts.get(asked, units, lambda: walk_host(Program(units), operator, [unit.path for unit in units]))

    def kernel(self, asked: object, units: list[Unit], make: Callable[[], KernelModel]) -> KernelModel:
        """Facts of the device side; those of the analysis before when nothing that they rest on changed: ``asked`` is
        what that is besides the units. What an editor has open is one operator, with and without its host."""
        return self._kernels.get(asked, units, make)

    def walks(self, soc: str, paths: tuple[Path, ...]) -> KeptWalks:
        """The walks of the kernel in these files, from the analysis before."""
        return self._walks.get((soc, paths[:1]), KeptWalks)


def macros_of(soc: str) -> dict[str, int | None]:
    """Preprocessor macros of a chip, for ``SourceFile``. Raises UnknownChip."""
    chip: Chip = load_chip(soc)
    if chip.cce_aicore is None or chip.npu_arch is None:
        return {}
    return chip_macros(chip.cce_aicore, chip.npu_arch)


def analyse_file(source: SourceFile, soc: str, cache: FactsCache | None = None) -> KernelModel:
    """Kernel facts of one file on its own. Raises UnknownChip."""
    load_chip(soc)
    kept = cache or FactsCache()
    structs = parse_tiling_structs(source.path, source.data.decode("utf-8", "replace"))
    return kernel_model([source], soc, structs, None, kept)


def analyse_operator(
    operator: Operator,
    soc: str,
    cache: FactsCache | None = None,
    overlays: dict[Path, SourceFile] | None = None,
) -> OperatorFacts:
    """Facts of both sides. ``overlays`` are open editor snapshots. Raises UnknownChip, OSError."""
    family = load_chip(soc).family
    entries = entries_for(operator.entries, family, operator.root)
    structs = structs_for(operator.tiling_structs, family, operator.root)
    kept = cache or FactsCache()
    table = overlays or {}
    every = [table.get(path) or kept.source(path, soc) for path in operator.kernel_files]
    kernel_files = included(every, {entry.path for entry in entries})
    host_files = [table.get(path) or kept.source(path, soc) for path in operator.host_files]
    kernel = kernel_model(kernel_files, soc, structs, operator.definition, kept)
    tiling: TilingModel | None = None
    if host_files:
        units = [kept.unit(source) for source in host_files]
        tiling = kept.host(units, operator)
    return OperatorFacts(operator, soc, kernel, tiling, tuple(every), tuple(host_files))


def included(sources: list[SourceFile], roots: set[Path]) -> list[SourceFile]:
    """The sources that the compiler reads for the chip: an ``#include`` in a dead branch brings in nothing."""
    found = [source for source in sources if source.path in roots]
    if not found:
        return sources
    by_name: dict[str, list[SourceFile]] = {}
    for source in sources:
        by_name.setdefault(source.path.name, []).append(source)
    kept = set(map(id, found))
    for source in found:
        for name in _included_names(source):
            for other in _meant(source.path, name, by_name.get(Path(name).name, ())):
                if id(other) not in kept:
                    kept.add(id(other))
                    found.append(other)
    return [source for source in sources if id(source) in kept]


def _meant(includer: Path, name: str, candidates: Sequence[SourceFile]) -> Iterable[SourceFile]:
    """The sources that ``#include "name"`` may mean: the one beside the file, else those whose path ends like that."""
    beside = Path(os.path.normpath(includer.parent / name))
    exact = [source for source in candidates if source.path == beside]
    if exact:
        return exact
    tail = tuple(part for part in Path(name).parts if part not in ("..", "."))
    return [source for source in candidates if source.path.parts[-len(tail) :] == tail]


def _included_names(source: SourceFile) -> Iterable[str]:
    return (match[1].decode("utf-8", "replace") for match in _INCLUDE.finditer(source.masked))


def kernel_model(
    sources: list[SourceFile],
    soc: str,
    structs: Iterable[TilingStruct],
    definition: OpDef | None,
    cache: FactsCache,
) -> KernelModel:
    """Kernel facts of a set of files that are compiled together."""
    table = {struct.name: struct for struct in structs}
    units = [cache.unit(source) for source in sources]
    asked = (soc, table, definition, tuple(source.path for source in sources))
    return cache.kernel(asked, units, lambda: _walked(sources, units, soc, table, definition, cache))


def _walked(
    sources: list[SourceFile],
    units: list[Unit],
    soc: str,
    table: dict[str, TilingStruct],
    definition: OpDef | None,
    cache: FactsCache,
) -> KernelModel:
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _FRAMES))
    program = Program(units)
    paths = tuple(source.path for source in sources)
    kept = cache.walks(soc, paths)
    kept.begin(program, table)
    instances = Instances(program, sources, table, definition, kept).all()
    pipes, queues = declared_members(program, instances, table, kept)
    kept.end(program)
    return KernelModel(
        paths=paths,
        soc=soc,
        pipes=pipes,
        queues=queues,
        functions=tuple(function.fact() for function in _all_functions(program)),
        constants=_constants(program),
        instances=tuple(instances),
        register_code=tuple(unit.register_code for unit in program.units if unit.register_code is not None),
    )


def _all_functions(program: Program) -> Iterable[FunctionInfo]:
    for unit in program.units:
        yield from unit.functions
        for info in program.classes_of(unit):
            for methods in info.methods.values():
                yield from methods


def _constants(program: Program) -> tuple[tuple[str, Value], ...]:
    walk = KernelWalk(program, Frame(None, Path(), Region(), None, {}))
    walk.start(())
    found: list[tuple[str, Value]] = []
    for name, constant in program.constants.items():
        value = walk.constant_value(constant) if constant.is_constant else None
        if isinstance(value, Value):
            found.append((name, value))
    for name, macro in program.macros.items():
        if macro.parameters is None and macro.body:
            value = walk.macro_value(macro.body)
            if isinstance(value, Value) and value.is_known:
                found.append((name, value))
    for infos in program.classes.values():
        for info in infos:
            for name, declared in info.fields.items():
                if declared.is_constant and declared.init is not None:
                    value = walk.in_class(Object(info, {}), {}, declared)
                    if isinstance(value, Value):
                        found.append((f"{info.name}::{name}", value))
    return tuple(found)
