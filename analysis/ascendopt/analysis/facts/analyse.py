"""From sources to facts: reads files, finds the instances of a kernel, walks them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ascendopt.analysis.chips import Chip, load_chip
from ascendopt.analysis.facts.cache import BodyCache, BoundedCache
from ascendopt.analysis.facts.host_walk import walk_host
from ascendopt.analysis.facts.kernel_walk import KernelWalk
from ascendopt.analysis.facts.model import (
    FunctionFact,
    Instance,
    KernelModel,
    OperatorFacts,
    PipeEvent,
    PipeFact,
    QueueFact,
    Site,
    TilingModel,
)
from ascendopt.analysis.facts.names import QUEUES, split_template
from ascendopt.analysis.facts.program import Program
from ascendopt.analysis.facts.runtime import Frame, Object, TilingRef
from ascendopt.analysis.facts.unit import ClassInfo, FunctionInfo, Unit, read_unit
from ascendopt.analysis.operators import OpDef, Operator, TilingStruct
from ascendopt.analysis.operators.names import KERNEL_TYPES
from ascendopt.analysis.operators.tiling_structs import parse_tiling_structs
from ascendopt.analysis.source import SourceFile, chip_macros
from ascendopt.analysis.values import Value, number, symbol

MOST_INSTANCES = 48
_UNSIGNED = ("uint8_t", "uint16_t", "uint32_t", "uint64_t", "size_t", "bool")


class FactsCache:
    """Keep one for a session: an edit then lowers again only the functions whose text changed."""

    def __init__(self) -> None:
        self.bodies: BodyCache = BoundedCache(4000)
        self.sources: BoundedCache[tuple[Path, bytes, str], SourceFile] = BoundedCache(300)
        self.units: BoundedCache[tuple[Path, int], tuple[SourceFile, Unit]] = BoundedCache(300)

    def source(self, path: Path, soc: str) -> SourceFile:
        """A file on disk, parsed for one chip. Raises OSError."""
        data = path.read_bytes()
        return self.sources.get((path, data, soc), lambda: SourceFile.of(path, data, macros_of(soc)))

    def unit(self, source: SourceFile) -> Unit:
        """Declarations of a parsed file."""
        kept = self.units.get((source.path, id(source)), lambda: (source, read_unit(source, self.bodies)))
        return kept[1]


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
    load_chip(soc)
    kept = cache or FactsCache()
    table = overlays or {}
    kernel_files = [table.get(path) or kept.source(path, soc) for path in operator.kernel_files]
    host_files = [table.get(path) or kept.source(path, soc) for path in operator.host_files]
    kernel = kernel_model(kernel_files, soc, operator.tiling_structs, operator.definition, kept)
    tiling: TilingModel | None = None
    if host_files:
        units = [kept.unit(source) for source in host_files]
        tiling = walk_host(Program(units), operator, [source.path for source in host_files])
    return OperatorFacts(operator, soc, kernel, tiling)


def kernel_model(
    sources: list[SourceFile],
    soc: str,
    structs: Iterable[TilingStruct],
    definition: OpDef | None,
    cache: FactsCache,
) -> KernelModel:
    """Kernel facts of a set of files that are compiled together."""
    program = Program(cache.unit(source) for source in sources)
    table = {struct.name: struct for struct in structs}
    instances = _Instances(program, sources, table, definition).all()
    pipes, queues = _declarations(program, instances, table)
    return KernelModel(
        paths=tuple(source.path for source in sources),
        soc=soc,
        pipes=pipes,
        queues=queues,
        functions=tuple(_function_fact(function) for function in _all_functions(program)),
        constants=_constants(program),
        instances=tuple(instances),
    )


def _all_functions(program: Program) -> Iterable[FunctionInfo]:
    for unit in program.units:
        yield from unit.functions
        for info in unit.classes:
            for methods in info.methods.values():
                yield from methods


def _function_fact(function: FunctionInfo) -> FunctionFact:
    parameters = tuple((p.type + p.indirect, p.name) for p in function.body().parameters)
    span_site = Site(function.path, _span(function), function.qualified)
    return FunctionFact(
        name=function.qualified,
        parameters=parameters,
        templates=function.templates,
        site=span_site,
        name_span=function.name_span,
        is_entry=function.is_entry,
    )


def _span(function: FunctionInfo):
    from ascendopt.analysis.findings import Span

    return Span(function.base, function.end)


def _constants(program: Program) -> tuple[tuple[str, Value], ...]:
    walk = KernelWalk(program, Frame(None, Path(), 0, None, {}))
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


def _declarations(
    program: Program, instances: list[Instance], table: dict[str, TilingStruct]
) -> tuple[tuple[PipeFact, ...], tuple[QueueFact, ...]]:
    """Pipes and queues as declared in classes, plus the local pipes that instances met."""
    walk = KernelWalk(program, Frame(None, Path(), 0, None, {}))
    walk.start(())
    walk.tiling_structs = table
    pipes: dict[tuple[Path, int], PipeFact] = {}
    queues: list[QueueFact] = []
    from ascendopt.analysis.facts.runtime import ArrayRef, PipeRef, QueueRef

    for infos in program.classes.values():
        for info in infos:
            holder = Object(info, {})
            for declared in info.fields.values():
                head = split_template(walk.resolve_type(declared.type))[0]
                if head not in (*QUEUES, "TPipe") or declared.indirect:
                    continue
                value = walk.in_class(holder, {}, declared)
                if isinstance(value, ArrayRef):
                    value = value.element
                if isinstance(value, QueueRef):
                    queues.append(value.fact)
                elif isinstance(value, PipeRef) and value.fact is not None:
                    pipes[(value.fact.site.path, value.fact.site.span.start)] = value.fact
    for instance in instances:
        for event in instance.of(PipeEvent):
            if event.pipe is not None:
                pipes.setdefault((event.pipe.site.path, event.pipe.site.span.start), event.pipe)
    return tuple(pipes.values()), tuple(queues)


class _Instances:
    """Every run of the kernel that the source allows."""

    def __init__(
        self,
        program: Program,
        sources: list[SourceFile],
        table: dict[str, TilingStruct],
        definition: OpDef | None,
    ) -> None:
        self.program = program
        self.sources = sources
        self.table = table
        self.definition = definition

    def all(self) -> list[Instance]:
        """Instances of every entry; of every class with an Init when there is no entry."""
        entries = [f for functions in self.program.functions.values() for f in functions if f.is_entry]
        found: list[Instance] = []
        for entry in entries:
            made = self._of_entry(entry)
            kept = [instance for instance in made if _does_something(instance)] or made[:1]
            found.extend(kept)
        if not entries:
            for infos in self.program.classes.values():
                for info in infos:
                    if "Init" in info.methods or "Process" in info.methods:
                        found.append(self._of_class(info))
        return found

    # ------------------------------------------------------------------ entries

    def _of_entry(self, entry: FunctionInfo) -> list[Instance]:
        found: list[Instance] = []
        seen: set[tuple[object, ...]] = set()
        for column in self._columns():
            pending: list[tuple[bool, ...]] = [()]
            while pending and len(found) < MOST_INSTANCES:
                choices = pending.pop()
                instance, forks = self._walk_entry(entry, column, choices)
                pending.extend((*choices, *(True,) * index, False) for index in range(forks - len(choices)))
                key = (instance.label, instance.key, instance.dtypes, choices)
                if key not in seen:
                    seen.add(key)
                    found.append(instance)
        return found

    def _columns(self) -> list[dict[str, str]]:
        names = sorted(self._dtype_macros())
        if not names or self.definition is None:
            return [{}]
        columns: list[dict[str, str]] = []
        for column in self.definition.columns():
            table = {f"DTYPE_{name.upper()}": KERNEL_TYPES.get(dtype, dtype) for name, dtype in column}
            used = {name: table[name] for name in names if name in table}
            if used not in columns:
                columns.append(used)
        return columns or [{}]

    def _dtype_macros(self) -> set[str]:
        import re

        found: set[str] = set()
        for source in self.sources:
            found.update(word.decode() for word in re.findall(rb"\bDTYPE_[A-Z0-9_]+\b", source.masked))
        return found

    def _walk_entry(
        self, entry: FunctionInfo, column: dict[str, str], choices: tuple[bool, ...]
    ) -> tuple[Instance, int]:
        frame = Frame(
            function=entry,
            path=entry.path,
            base=entry.base,
            self_object=None,
            bindings={},
            data=entry.source.data,
            name=entry.qualified,
        )
        walk = KernelWalk(self.program, frame)
        walk.start(choices)
        walk.dtypes = column
        walk.tiling_structs = self.table
        body = entry.body()
        for parameter in body.parameters:
            frame.locals[parameter.name] = self._argument(walk, parameter.type, parameter.name)
        walk.run(body.statements)
        label = ", ".join(walk.kernels) or entry.name
        instance = Instance(
            label=label,
            entry=entry.name,
            site=Site(entry.path, entry.name_span, entry.qualified),
            body=tuple(walk.out),
            dtypes=tuple(sorted(column.items())),
            bindings=tuple(walk.bindings_seen.items()),
            key=walk.key,
            complete=walk.complete,
        )
        return instance, walk.forks

    def _argument(self, walk: KernelWalk, type_text: str, name: str):
        resolved = walk.resolve_type(type_text)
        struct = self.table.get(resolved)
        if struct is not None:
            return TilingRef("tiling.", struct)
        if walk.is_integer(resolved):
            return symbol(f"arg.{name}", 0 if resolved in _UNSIGNED else None)
        return walk.address(name)

    # ------------------------------------------------------------------ classes without an entry

    def _of_class(self, info: ClassInfo) -> Instance:
        frame = Frame(None, info.path, 0, None, {}, name=info.name)
        walk = KernelWalk(self.program, frame)
        walk.start(())
        walk.tiling_structs = self.table
        made = Object(info, {}, {}, info.name)
        walk.objects.append(made)
        for name in [n for n in ("Init", "Process") if n in info.methods]:
            method = info.methods[name][0]
            body = method.body()
            inner = Frame(
                function=method,
                path=method.path,
                base=method.base,
                self_object=made,
                bindings={},
                data=method.source.data,
                name=method.qualified,
            )
            for parameter in body.parameters:
                inner.locals[parameter.name] = self._argument(walk, parameter.type, parameter.name)
            walk.inside(inner, body, Site(method.path, method.name_span, method.qualified), method.qualified)
        return Instance(
            label=info.name,
            entry=info.name,
            site=Site(info.path, info.span, ""),
            body=tuple(walk.out),
            is_synthetic=True,
            complete=walk.complete,
        )


def _does_something(instance: Instance) -> bool:
    return next(iter(instance.events()), None) is not None


__all__ = ["FactsCache", "analyse_file", "analyse_operator", "kernel_model", "macros_of", "number"]
