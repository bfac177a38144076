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
from ascendopt.analysis.facts.model import CopyEvent
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule


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
                )


RULE = Rule("ASC-RNG005", "datacopypad-not-on-chip", Severity.ERROR, check)
