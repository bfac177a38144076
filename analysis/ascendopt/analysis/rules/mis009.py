"""Workspace and tiling are the last two arguments of an entry.

## What it says
The entry of an operator with host tiling takes ``tiling`` before ``workspace``.

## Why
The framework passes inputs, outputs, workspace and tiling in this order, whatever the names are: the tiling data is
then read from the workspace, often as zeros.

## Example
```cpp
void negate(GM_ADDR x, GM_ADDR y, GM_ADDR tiling, GM_ADDR workspace)
```

## Instead
Put ``workspace`` before ``tiling``.

## Source
asc-devkit: FAQ, the kernel reads wrong tiling data.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import FunctionFact
from ascendopt.analysis.findings import Finding, Fix, Related, Severity, TextEdit
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    tiling = context.facts.tiling if context.facts is not None else None
    if tiling is None or not tiling.functions:
        return
    related = tuple(
        Related(function.site.path, function.name_span, "the host fills the tiling data in here")
        for function in tiling.functions[:1]
    )
    for entry in context.kernel.entries:
        names = [name.lower() for _, name in entry.parameters]
        data = next((index for index, name in enumerate(names) if "tiling" in name), None)
        space = next((index for index, name in enumerate(names) if "workspace" in name), None)
        if data is not None and space is not None and data < space:
            yield RULE.finding(
                entry.site,
                f"kernel entry order must be inputs, outputs, workspace, tiling; tiling comes before workspace in "
                f"{entry.short_name}: the tiling struct is read from the workspace",
                facts={"entry": entry.short_name},
                related=related,
                fix=_swapped(entry, data, space),
            )
        elif data is not None and space is not None and space + 1 < data == len(names) - 1:
            yield RULE.finding(
                entry.site,
                f"kernel entry order must be inputs, outputs, workspace, tiling; in {entry.short_name} "
                f"{entry.parameters[space + 1][1]} comes between workspace and tiling: it is given the workspace, and "
                f"{entry.parameters[space][1]} an input or output",
                facts={"entry": entry.short_name},
                related=related,
            )


def _swapped(entry: FunctionFact, data: int, space: int) -> Fix | None:
    """The two names at the end in the other order; unsafe, because a launch by hand may pass them as they stand."""
    kinds, names = zip(*entry.parameters, strict=True)
    if (data, space) != (len(names) - 2, len(names) - 1) or kinds[data] != kinds[space]:
        return None
    places = (
        TextEdit(entry.site.path, entry.name_span, new, rf"\s\*?({old})\s*[,)]")
        for old, new in ((names[data], names[space]), (names[space], names[data]))
    )
    return edits.fix("workspace before tiling", *places, safe=False)


RULE = Rule("ASC-MIS009", "entry-argument-order", Severity.ERROR, check, by_instance=False)
