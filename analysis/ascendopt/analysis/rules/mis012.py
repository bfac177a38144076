"""Host and kernel agree on the layout of tiling data.

## What it says
The kernel declares the host's tiling struct once more, with its fields in another order, of another type or length.

## Why
Tiling data goes to the kernel as bytes: from the first difference on, each field is read where another one lies.

## Example
```cpp
struct ScaleTiling { uint32_t rows; uint32_t columns; }; // the host declares columns before rows
```

## Instead
Declare the struct in one header that both sides include, or repeat it exactly.

## Source
asc-devkit: tiling, definition of tiling data as a standard C++ struct.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.findings import Finding, Fix, Related, Severity, TextEdit
from ascendopt.analysis.operators import TilingField, TilingStruct, canonical_type, structs_for, type_bytes
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    facts = context.facts
    if facts is None:
        return
    operator = facts.operator
    kernels, hosts = set(operator.kernel_files), set(operator.host_files)
    structs = structs_for(operator.tiling_structs, context.chip.family, operator.root)
    compiled = set(context.kernel.paths)
    of_host = [struct for struct in structs if struct.path in hosts and struct.path not in kernels]
    for copy in structs:
        if copy.path in compiled and copy.path not in hosts:
            originals = [struct for struct in of_host if struct.name == copy.name]
            if len(originals) == 1 and _is_sent(originals[0], copy, of_host):
                yield from _differences(originals[0], copy)


def _is_sent(original: TilingStruct, copy: TilingStruct, of_host: list[TilingStruct]) -> bool:
    """False for a struct that the host may have for itself: neither registered, alone or as a part, nor of the same
    fields. Nor is anything known to be sent by one without fields, as while it is being typed."""
    outer = [struct for struct in of_host if any(field.type == original.name for field in struct.fields)]
    registered = any(struct.ops for struct in (original, *outer))
    if not original.fields:
        return False
    return registered or {field.name for field in original.fields} == {field.name for field in copy.fields}


def _differences(original: TilingStruct, copy: TilingStruct) -> Iterator[Finding]:
    """The first field that differs: all behind it follow from that."""
    for index, (mine, theirs) in enumerate(zip(copy.fields, original.fields, strict=False)):
        said = _difference(mine, theirs)
        if said:
            yield _finding(original, copy, mine, theirs, f"field {index + 1} is {said}")
            return
    if len(copy.fields) > len(original.fields):
        extra, last = copy.fields[len(original.fields)], original.fields[-1]
        yield _finding(original, copy, extra, last, f"{extra.name} lies behind the end of what the host declares")


def _difference(mine: TilingField, theirs: TilingField) -> str:
    if mine.name != theirs.name:
        return f"{mine.name} here and {theirs.name} on the host"
    here, there = canonical_type(mine.type), canonical_type(theirs.type)
    if here != there and type_bytes(here) and type_bytes(there):
        return f"{mine.name} of type {mine.type} here and {theirs.type} on the host"
    if mine.length and theirs.length and mine.length != theirs.length:
        return f"{mine.name} with {mine.length} elements here and {theirs.length} on the host"
    return ""


def _finding(original: TilingStruct, copy: TilingStruct, mine: TilingField, theirs: TilingField, said: str) -> Finding:
    return Finding(
        rule=RULE.code,
        severity=RULE.severity,
        path=copy.path,
        span=mine.span,
        message=f"{copy.name} is not what the host declares: {said}. The kernel reads bytes that mean something else. "
        "Include one header on both sides, or repeat the struct exactly",
        facts={"struct": copy.name, "field": mine.name},
        related=(Related(original.path, theirs.span, f"the host declares {theirs.name} here"),),
        fix=_fix(copy, mine, theirs),
    )


def _fix(copy: TilingStruct, mine: TilingField, theirs: TilingField) -> Fix | None:
    """The host's type, where that is all that differs in the field; unsafe, because one further on may differ, too."""
    if (mine.name, mine.length) != (theirs.name, theirs.length) or mine.type == theirs.type:
        return None
    kind = TextEdit(copy.path, mine.span, theirs.type, rf"([\w:]+)(?:\s+|\s*,\s*){mine.name}\b")
    return edits.fix(f"{theirs.type}, as on the host", kind, safe=False)


RULE = Rule("ASC-MIS012", "tiling-struct-differs", Severity.ERROR, check, by_instance=False)
