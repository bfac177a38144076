"""DataCopyPad does not exist on this chip.

## What it says
``DataCopyPad`` is called and the chip is a 910 or a 310P, which have no such instruction.

## Why
The call does not compile for the chip, or is not supported by its driver.

## Example
```cpp
DataCopyPad(x, xGm, params, pad);  // --soc Ascend310P3
```

## Instead
Copy whole blocks with ``DataCopy``, overlapping the tail with the block before it, and mask what is extra.

## Source
asc-devkit: DataCopyPad (GM to UB), supported products.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.chips.support import supports
from ascendopt.analysis.facts.events import CopyEvent
from ascendopt.analysis.findings import Finding, Fix, Severity, Span, TextEdit
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule

BLOCK = 32


def check(context: Context) -> Iterator[Finding]:
    if supports(context.chip, "DataCopyPad"):
        return
    for instance in context.instances():
        for copy in instance.of(CopyEvent):
            if copy.name == "DataCopyPad":
                yield RULE.finding(
                    copy.site,
                    f"DataCopyPad is not available on {context.chip.name}. Copy whole 32-byte blocks with DataCopy "
                    "and mask the tail",
                    facts={"api": "DataCopyPad", "chip": context.chip.name},
                    fix=_fix(context, copy),
                )


def _fix(context: Context, copy: CopyEvent) -> Fix | None:
    """DataCopy for one row of whole blocks that is not padded: the same bytes."""
    params, element = copy.params, copy.element
    if params is None or element is None or copy.direction not in ("in", "out") or params is not copy.args[2]:
        return None
    rows, length = (context.kernel_number(params.field(name)) for name in ("blockCount", "blockLen"))
    padded = any(context.kernel_number(argument.field("isPad")) != 0 for argument in copy.args[3:])
    each = copy.args[0].tensor.element_bytes.constant() if copy.args[0].tensor is not None else None
    if rows != 1 or padded or not length or not each or length % BLOCK:
        return None
    count = TextEdit(copy.site.path, Span(params.span.start, copy.args[-1].span.end), str(length // each))
    return edits.fix("copy whole blocks with DataCopy", edits.name(copy, "DataCopy"), count, safe=True, of_run=True)


RULE = Rule("ASC-RNG005", "datacopypad-not-on-chip", Severity.ERROR, check)
