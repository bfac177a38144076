"""A copy inside of UB moves whole blocks.

## What it says
A ``DataCopy`` from UB to UB in its count form has a length that is no multiple of 32 bytes.

## Why
The length is rounded down: the tail is silently not copied.

## Example
```cpp
DataCopy(y, x, 100);  // half: 200 bytes, 192 are moved
```

## Instead
Round up where the buffers have room, or use ``Copy`` or ``Adds`` with a count.

## Source
asc-devkit: DataCopy (UB to UB), constraints, item 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import CopyEvent
from ascendopt.analysis.findings import Finding, Fix, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule

BLOCK = 32


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for copy in instance.of(CopyEvent):
            if copy.name != "DataCopy" or copy.direction != "local" or copy.count is None:
                continue
            size = context.number(copy.bytes)
            if size is None or size % BLOCK == 0:
                continue
            yield RULE.finding(
                copy.site,
                f"{size} bytes are no multiple of {BLOCK}: {size // BLOCK * BLOCK} are copied, the last "
                f"{size % BLOCK} are "
                "not. Use Copy or Adds with a count, or round up",
                facts={"bytes": size, "align": BLOCK, "lost_bytes": size % BLOCK},
                related=context.host_side(copy.bytes),
                fix=_fix(copy),
                case=context.case_of(copy.bytes),
            )


def _fix(copy: CopyEvent) -> Fix | None:
    """Whole blocks; unsafe, because what lies behind the tensors is copied, too."""
    each = copy.args[0].tensor.element_bytes.constant() if copy.args[0].tensor is not None else None
    if not each or len(copy.args) < 3:
        return None
    whole = edits.argument(copy, copy.args[2], edits.rounded_up(copy.args[2].text, BLOCK // each))
    return edits.fix("copy whole blocks (the buffers need that room)", whole, safe=False, of_run=True)


RULE = Rule("ASC-ALN009", "ub-copy-rounds-down", Severity.ERROR, check)
