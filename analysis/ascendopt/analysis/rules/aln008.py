"""DataCopy moves whole blocks of 32 bytes.

## What it says
``DataCopy(dst, src, count)`` is given a count whose bytes are not a multiple of 32.

## Why
The transfer length is counted in blocks and rounded down: the last elements are silently not moved.

## Example
```cpp
DataCopy(x, xGm, 100);  // half: 200 bytes, 192 are moved
```

## Instead
Use ``DataCopyPad`` with the length in bytes, or round the count up where both buffers have room.

## Source
asc-devkit: DataCopy (continuous copy between GM and UB), constraints, item 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.chips.support import supports
from ascendopt.analysis.facts.events import CopyEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Finding, Fix, Severity, Span, TextEdit
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.rules.traffic import surely_happens
from ascendopt.analysis.values import Value

BLOCK = 32


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for copy in instance.of(CopyEvent):
            if copy.direction == "local":
                continue  # ASC-ALN009
            if copy.name == "DataCopy" and copy.count is not None and copy.bytes is not None:
                finding = _check_copy(context, instance, copy, copy.count, copy.bytes)
                if finding is not None:
                    yield finding


def _check_copy(context: Context, instance: Instance, copy: CopyEvent, count: Value, moved: Value) -> Finding | None:
    size = context.number(moved)
    elements = context.number(count)
    if size is None or elements is None or size % BLOCK == 0 or elements == 0:
        return None
    # What only a case decides is said where the copy surely happens in it: an odd tail may stand behind a condition.
    case = context.case_of(moved)
    if case is not None and not surely_happens(context, instance, copy):
        return None
    element_bytes = size // elements
    lost = size % BLOCK // element_bytes
    return RULE.finding(
        copy.site,
        f"DataCopy of {elements} x {element_bytes} = {size} bytes must be a multiple of {BLOCK} bytes: rounded "
        f"down to {size - size % BLOCK} bytes, so the last {lost} elements are not moved. Use DataCopyPad",
        facts={"bytes": size, "moved_bytes": size - size % BLOCK, "lost_elements": lost, "align": BLOCK},
        related=context.host_side(moved),
        fix=_fix(context, copy),
        case=case,
    )


def _fix(context: Context, copy: CopyEvent) -> Fix | None:
    """DataCopyPad with the same count: exact on both sides, for chips that have it."""
    if copy.direction not in ("in", "out") or copy.element is None or not supports(context.chip, "DataCopyPad"):
        return None
    count = copy.args[2]
    text = f"{{1, static_cast<uint32_t>(({count.text}) * sizeof({copy.element})), 0, 0, 0}}"
    pad = f", {{false, 0, 0, {copy.element}(0)}}" if copy.direction == "in" else ""
    edits = (
        TextEdit(copy.site.path, copy.name_span, "DataCopyPad"),
        TextEdit(copy.site.path, Span(count.span.start, count.span.end), text + pad),
    )
    return Fix("AscendC: copy exactly these bytes with DataCopyPad", edits, of_run=True)


RULE = Rule("ASC-ALN008", "datacopy-count-alignment", Severity.ERROR, check)
