"""The kernel reads no tiling field that the host leaves out.

## What it says
The kernel reads a field of its tiling data that the host never sets, although it sets others of the same struct.

## Why
The kernel gets 0, or whatever lay in the buffer: a loop that never runs, a division by zero, an address out of range.

## Example
```cpp
TILING_DATA_FIELD_DEF(uint32_t, tileNum); // and the host calls set_tileLength() alone
```

## Instead
Set the field in the tiling function, or remove it on both sides.

## Source
asc-devkit: tiling, definition and use of tiling data.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.model import TilingRead
from ascendopt.analysis.facts.tiling_model import TilingSet
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.operators import TilingField, TilingStruct
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.rules.tiling_data import declared_once


def check(context: Context) -> Iterator[Finding]:
    facts = context.facts
    if facts is None or facts.tiling is None:
        return
    host = facts.host_names
    table = declared_once(facts.operator.tiling_structs)
    for read in _reads(context):
        known = table.get(read.field.rpartition(".")[2])
        if known is None:
            continue
        struct, field = known
        others = [entry for entry in facts.tiling.sets if entry.struct == struct.name]
        if not others or host.has(field.name, f"set_{field.name}"):
            continue
        if host.makes_names or host.copies_bytes or not host.is_whole:
            return
        yield _finding(read, struct, field, others[0])


def _finding(read: TilingRead, struct: TilingStruct, field: TilingField, other: TilingSet) -> Finding:
    return RULE.finding(
        read.site,
        f"the kernel reads {field.name} of {struct.name}, and the host never sets it, as it does {other.field}: it is "
        "0 or whatever lay there. Set it in the tiling function",
        facts={"field": field.name, "struct": struct.name},
        related=(
            Related(struct.path, field.span, f"{field.name} is declared here"),
            Related(other.site.path, other.site.span, f"the host sets {other.field} here"),
        ),
    )


def _reads(context: Context) -> Iterator[TilingRead]:
    """The first place that reads each field."""
    first: dict[str, TilingRead] = {}
    for instance in context.instances():
        for read in instance.tiling_reads:
            first.setdefault(read.field, read)
    return iter(first.values())


RULE = Rule("ASC-MIS011", "tiling-field-never-set", Severity.WARNING, check, by_instance=False)
