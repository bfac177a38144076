"""A copy starts at an element of GM.

## What it says
A ``DataCopy`` uses a global tensor whose start is no multiple of its element size.

## Why
The engine addresses elements: another start raises an exception.

## Example
```cpp
xGm.SetGlobalBuffer((__gm__ float*)(base + 2));  // a byte pointer
```

## Instead
Set the buffer at a multiple of ``sizeof(T)``; ``DataCopyPad`` takes any byte.

## Source
asc-devkit: DataCopy (continuous copy between GM and UB), constraints, item 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import CopyEvent
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.alignment import misplaced
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for copy in instance.of(CopyEvent):
            if copy.name != "DataCopy":
                continue
            for argument in copy.args[:2]:
                tensor = argument.tensor
                each = tensor.element_bytes.constant() if tensor is not None else None
                if tensor is None or tensor.memory != "global" or not each or each == 1:
                    continue
                found = misplaced(context, copy, argument, each)
                if found is not None:
                    yield RULE.finding(
                        copy.site,
                        f"DataCopy takes {found.operand} at offset {found.text}: it starts at an element of "
                        f"{tensor.element}, {each} bytes"
                        ". Set the buffer at a whole element, or use DataCopyPad",
                        facts={"api": copy.name, **found.facts},
                        related=found.related,
                        case=found.case,
                    )


RULE = Rule("ASC-ALN007", "gm-element-alignment", Severity.ERROR, check)
