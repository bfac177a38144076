"""The instances of a kernel: which runs the source allows, and their walks."""

from __future__ import annotations

import re
from dataclasses import replace

from ascendopt.analysis.facts.declared import Site
from ascendopt.analysis.facts.kept import Kept, KeptWalks, Run
from ascendopt.analysis.facts.kernel_walk import KernelWalk
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.program import Program
from ascendopt.analysis.facts.runtime import Frame, Object, TilingRef
from ascendopt.analysis.facts.unit import ClassInfo, FunctionInfo
from ascendopt.analysis.operators import OpDef, TilingStruct
from ascendopt.analysis.operators.names import KERNEL_TYPES, UNSIGNED
from ascendopt.analysis.source import SourceFile
from ascendopt.analysis.values import symbol

MOST_INSTANCES = 64


class Instances:
    """Every run of the kernel that the source allows."""

    def __init__(
        self,
        program: Program,
        sources: list[SourceFile],
        table: dict[str, TilingStruct],
        definition: OpDef | None,
        kept: KeptWalks,
    ) -> None:
        self.program = program
        self.kept = kept.instances
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
                        found.append(self._class_instance(info))
        return found

    # ------------------------------------------------------------------ entries

    def _of_entry(self, entry: FunctionInfo) -> list[Instance]:
        found: list[Instance] = []
        built: list[bool] = []
        seen: set[tuple[tuple[bool, ...], tuple[tuple[str, str], ...]]] = set()
        free: dict[tuple[bool, ...], int] = {}  # arms that read no dtype macro, and the forks met on the way
        for column in self._columns():
            pending: list[tuple[bool, ...]] = [()]
            while pending and len(found) < MOST_INSTANCES:
                choices = pending.pop()
                if choices in free:
                    forks = free[choices]
                else:
                    run = self._entry_instance(entry, column, choices)
                    instance, forks = run.instance, run.forks
                    if not instance.dtypes:
                        free[choices] = forks
                    if (choices, instance.dtypes) not in seen:
                        seen.add((choices, instance.dtypes))
                        found.append(instance)
                        built.append(forks == 0 or instance.label != entry.name)
                pending.extend((*choices, *(True,) * index, False) for index in range(forks - len(choices)))
        # The arm of "none of the keys" builds nothing and is of no interest beside those that do.
        return [entry for entry, kernel in zip(found, built, strict=True) if kernel or not any(built)]

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
        found: set[str] = set()
        for source in self.sources:
            if b"DTYPE_" in source.masked:
                found.update(word.decode() for word in re.findall(rb"\b(?:ORIG_)?(DTYPE_[A-Z0-9_]+)\b", source.masked))
        return found

    def _entry_instance(self, entry: FunctionInfo, column: dict[str, str], choices: tuple[bool, ...]) -> Run:
        key = (entry.region, tuple(sorted(column.items())), choices)
        kept = self.kept.get(key)
        if kept is None:
            reads = self.program.start_reads()
            reads.queries.update((entry.name, entry.head or entry.region))
            kept = Kept(self._walk_entry(entry, column, choices), reads)
            self.kept.add(key, kept)
        return kept.made

    def _walk_entry(self, entry: FunctionInfo, column: dict[str, str], choices: tuple[bool, ...]) -> Run:
        frame = Frame.of(entry, None, {})
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
            site=Site(entry.path, entry.name_place, entry.qualified),
            body=tuple(walk.out),
            dtypes=tuple((name, dtype) for name, dtype in sorted(column.items()) if name in walk.dtypes_used),
            bindings=tuple(walk.bindings_seen.items()),
            key=walk.key,
            picked=tuple(walk.picked),
            complete=walk.complete,
            tiling_reads=tuple(walk.tiling_reads.values()),
        )
        return Run(instance, walk.forks)

    def _argument(self, walk: KernelWalk, type_text: str, name: str):
        resolved = walk.resolve_type(type_text)
        struct = self.table.get(resolved)
        if struct is not None:
            return TilingRef("tiling.", struct)
        if walk.class_named(resolved) is not None:
            return TilingRef("tiling.", None)  # kernel launch: the tiling struct itself is an argument
        if walk.is_integer(resolved):
            return symbol(f"arg.{name}", 0 if resolved in UNSIGNED else None)
        return walk.address(name)

    # ------------------------------------------------------------------ classes without an entry

    def _class_instance(self, info: ClassInfo) -> Instance:
        key = (info.place.region, (), ())
        kept = self.kept.get(key)
        if kept is None:
            reads = self.program.start_reads()
            reads.queries.add(info.name)
            kept = Kept(Run(self._of_class(info), 0), reads)
            self.kept.add(key, kept)
        # The class ends elsewhere when a method that is not walked has grown.
        site = Site(info.path, info.place, "")
        instance = kept.made.instance
        if site != instance.site:
            instance = replace(instance, site=site)
            self.kept.add(key, Kept(Run(instance, 0), kept.reads))
        return instance

    def _of_class(self, info: ClassInfo) -> Instance:
        frame = Frame(None, info.path, info.place.region, None, {}, name=info.name)
        walk = KernelWalk(self.program, frame)
        walk.start(())
        walk.tiling_structs = self.table
        made = Object(info, {}, {}, info.name)
        walk.objects.append(made)
        for name in [n for n in ("Init", "Process") if n in info.methods]:
            method = info.methods[name][0]
            body = self.program.entered(method)
            inner = Frame.of(method, made, {})
            for parameter in body.parameters:
                inner.locals[parameter.name] = self._argument(walk, parameter.type, parameter.name)
            walk.inside(inner, body, Site(method.path, method.name_place, method.qualified), method.qualified)
        return Instance(
            label=info.name,
            entry=info.name,
            site=Site(info.path, info.place, ""),
            body=tuple(walk.out),
            is_synthetic=True,
            complete=walk.complete,
            tiling_reads=tuple(walk.tiling_reads.values()),
        )


def _does_something(instance: Instance) -> bool:
    return next(iter(instance.events()), None) is not None
