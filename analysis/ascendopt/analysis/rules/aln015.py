"""The result of MrgSort starts at a block.

## What it says
The destination of a ``MrgSort`` starts at no multiple of 32 bytes.

## Why
The records are written in blocks: with another start the result is not defined.

## Example
```cpp
MrgSort(y[2], lists, info);  // float: 8 bytes into the buffer
```

## Instead
Use offsets of four records of 8 bytes.

## Source
asc-devkit: MrgSort, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.alignment import misplaced
from ascendopt.analysis.rules.rule import Context, Rule

ALIGN = 32


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for call in instance.of(ApiCall):
            found = misplaced(context, call, call.args[0], ALIGN) if call.name == "MrgSort" and call.args else None
            if found is not None:
                yield RULE.finding(
                    call.site,
                    f"MrgSort writes {found.operand} at offset {found.text}; its result starts at a multiple of "
                    f"{ALIGN} bytes"
                    ". Use offsets of four records of 8 bytes",
                    facts={"api": call.name, **found.facts},
                    related=found.related,
                    case=found.case,
                )


RULE = Rule("ASC-ALN015", "mrgsort-alignment", Severity.ERROR, check)
