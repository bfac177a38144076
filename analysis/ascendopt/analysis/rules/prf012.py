"""Tiling data holds what the kernel reads.

## What it says
The host sets a tiling field that no kernel of the operator reads.

## Why
Every core copies the whole of the tiling data from global memory to its stack before it starts: dead bytes cost time
at the head of the kernel.

## Example
```cpp
tiling.set_tileCount(count); // and the kernel never names tileCount
```

## Instead
Remove the field, or keep the number in a variable of the tiling function.

## Source
asc-devkit: keep tiling data small, description.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascendopt.analysis.facts.model import KernelModel
from ascendopt.analysis.facts.operator_facts import OperatorFacts
from ascendopt.analysis.facts.tiling_model import TilingSet
from ascendopt.analysis.findings import FactValue, Finding, Fix, Related, Severity, TextEdit
from ascendopt.analysis.operators import TilingField, TilingStruct, canonical_type, same_operator, type_bytes
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.repair import removed
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.rules.tiling_data import declared_once

_FILLER = re.compile(r"reserve|place_?holder|pad(ding)?\d*$|dummy|align", re.IGNORECASE)
_VARIANT = re.compile(r"_\d+$")


def check(context: Context) -> Iterator[Finding]:
    facts = context.facts
    if facts is None or facts.tiling is None:
        return
    [reads] = facts.kernel.derived("fields read", lambda: (_read(facts.kernel),))
    table = declared_once(facts.operator.tiling_structs)
    read = {table[name][0].name for name in reads if name in table}
    seen: set[str] = set()
    for entry in facts.tiling.sets:
        name = entry.field.partition("[")[0].rpartition(".")[2]
        known = table.get(name)
        if known is None or name in seen or known[0].name != entry.struct or entry.struct not in read or name in reads:
            continue
        seen.add(name)
        if _is_own(facts, known[0]) and _is_dead(facts, name):
            yield _finding(context, entry, *known)


def _read(kernel: KernelModel) -> frozenset[str]:
    """The last names of the tiling fields that any run reads."""
    reads = (read.field for instance in kernel.instances for read in instance.tiling_reads)
    return frozenset(field.rpartition(".")[2] for field in reads)


def _is_own(facts: OperatorFacts, struct: TilingStruct) -> bool:
    """True for a struct of this operator alone."""
    ops = {_VARIANT.sub("", name) for name in struct.ops}
    return bool(ops) and all(same_operator(name, facts.operator.name) for name in ops)


def _is_dead(facts: OperatorFacts, name: str) -> bool:
    """False for what holds the layout, what the host reads back, and what the kernel may get to in another way."""
    kernel = facts.kernel_names
    if _FILLER.search(name) or kernel.has(name) or facts.host_names.has(f"get_{name}"):
        return False
    return not kernel.makes_names and not kernel.copies_bytes and kernel.is_whole


def _fix(context: Context, struct: TilingStruct, field: TilingField) -> Fix | None:
    """Without the field and all that sets it, where the struct is declared once, by the macros."""
    facts = context.facts
    if facts is None or facts.tiling is None:
        return None
    if sum(one.name == struct.name for one in facts.operator.tiling_structs) != 1:
        return None
    declared = TextEdit(struct.path, field.span, "", rf"(TILING_DATA_FIELD_DEF\w*\s*\([^()]*\b{field.name}\s*\))")
    sets = (one.site for one in facts.tiling.sets if one.struct == struct.name and one.field == field.name)
    return edits.fix("remove the field", declared, *map(removed, dict.fromkeys(sets)), safe=False)


def _finding(context: Context, entry: TilingSet, struct: TilingStruct, field: TilingField) -> Finding:
    each = type_bytes(canonical_type(field.type))
    size = each * field.length if each and field.length else None
    text = f" {size} bytes" if size else " bytes"
    numbers: dict[str, FactValue] = {"field": field.name, "struct": struct.name}
    if size:
        numbers["bytes"] = size
    return RULE.finding(
        entry.site,
        f"the host sets {field.name} of {struct.name}, and no kernel reads it:{text} that every core copies from "
        "global memory at its start for nothing. Remove the field",
        facts=numbers,
        fix=_fix(context, struct, field),
        related=(
            Related(struct.path, field.span, f"{field.name} is declared here"),
            *(
                Related(found.site.path, found.name_span, f"{found.short_name} reads the tiling data without it")
                for found in context.kernel.entries[:1]
            ),
        ),
    )


RULE = Rule("ASC-PRF012", "tiling-field-never-read", Severity.PERF, check, by_instance=False)
