"""Tiling fields and their flow: the host lines that set each, the kernel lines that read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ascendopt.analysis.active_case import ActiveCase
from ascendopt.analysis.facts.declared import Site
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.operator_facts import OperatorFacts
from ascendopt.analysis.facts.tiling_model import LAUNCH, TilingSet
from ascendopt.analysis.operators import TilingField, TilingStruct
from ascendopt.analysis.summary.model import Field, FieldSet
from ascendopt.analysis.summary.quantities import Quantities

Declared = tuple[TilingStruct, TilingField]


def fields(facts: OperatorFacts, quantities: Quantities, cases: Iterable[ActiveCase]) -> Iterator[Field]:
    """In the order of declaration, then what is set or read without one. Parts of nested structs are dotted."""
    sets: dict[str, list[TilingSet]] = {}
    for entry in facts.tiling.sets if facts.tiling is not None else ():
        if entry.struct != LAUNCH:
            sets.setdefault(_plain(entry.field), []).append(entry)
    reads = _reads(facts.kernel.instances)
    declared = _declared(facts.operator.tiling_structs, {*sets, *reads})
    known = list(cases)
    for name in dict.fromkeys((*declared, *sets, *reads)):
        struct, field = declared.get(name, (None, None))
        yield Field(
            name=name,
            type=field.type if field is not None else None,
            length=field.length if field is not None else None,
            struct=struct,
            declared=(field.span.start, field.span.end) if field is not None else None,
            sets=tuple(_set(entry, quantities) for entry in sets.get(name, [])),
            reads=tuple(reads.get(name, ())),
            by_case={case.name: case.tiling[name] for case in known if name in case.tiling},
        )


def _plain(name: str) -> str:
    """The name without indices."""
    return "".join(part.partition("]")[2] if index else part for index, part in enumerate(name.split("[")))


def _reads(instances: Iterable[Instance]) -> dict[str, list[Site]]:
    found: dict[str, dict[Site, None]] = {}
    for instance in instances:
        for read in instance.tiling_reads:
            found.setdefault(read.field, {})[read.site] = None
    return {name: sorted(sites, key=lambda site: (str(site.path), site.span)) for name, sites in found.items()}


def _declared(structs: Iterable[TilingStruct], used: set[str]) -> dict[str, Declared]:
    """Fields of the registered structs; of all structs that something used belongs to where none is registered."""
    table = {struct.name: struct for struct in structs}
    nested = {field.type for struct in table.values() for field in struct.fields if field.type in table}
    outer = [struct for struct in table.values() if struct.name not in nested]
    roots = [struct for struct in outer if struct.ops] or [
        struct
        for struct in outer
        if any(field.name in {name.split(".")[0] for name in used} for field in struct.fields)
    ]
    found: dict[str, Declared] = {}
    for struct in roots:
        for name, entry in _expanded(struct, table, "", 0):
            found.setdefault(name, entry)
    return found


def _expanded(
    struct: TilingStruct, table: Mapping[str, TilingStruct], prefix: str, depth: int
) -> Iterator[tuple[str, Declared]]:
    for field in struct.fields:
        inner = table.get(field.type)
        if inner is not None and depth < 4:
            yield from _expanded(inner, table, f"{prefix}{field.name}.", depth + 1)
        else:
            yield prefix + field.name, (struct, field)


def _set(entry: TilingSet, quantities: Quantities) -> FieldSet:
    value = quantities.maybe(entry.value)
    return FieldSet(entry.struct, entry.site, entry.value_text, value, entry.conditional, entry.origin)
