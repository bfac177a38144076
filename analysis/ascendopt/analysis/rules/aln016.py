"""The result of a block reduction starts at 16 bytes of half or 32 of float.

## What it says
The destination of ``BlockReduceSum``, ``BlockReduceMax`` or ``BlockReduceMin`` starts elsewhere than at eight
elements.

## Why
A repeat gives eight results that are written together: another start raises an alignment exception.

## Example
```cpp
BlockReduceSum(y[4], x, 1, 64, 1, 1, 8);  // float: 16 bytes into the buffer
```

## Instead
Use offsets of eight elements.

## Source
asc-devkit: ReduceDataBlock, constraints, item 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import Argument
from ascendopt.analysis.facts.readings import Reading, readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.alignment import misplaced
from ascendopt.analysis.rules.rule import Context, Rule

RESULTS = 8
REDUCTIONS = frozenset({"ReduceDataBlock", "BlockReduceSum", "BlockReduceMax", "BlockReduceMin"})


def aligned_operands(reading: Reading) -> Iterator[tuple[Argument, int]]:
    """The operands and what each is aligned to."""
    destination = reading.destination
    if reading.call.name in REDUCTIONS and destination is not None and destination.argument.tensor is not None:
        each = destination.argument.tensor.element_bytes.constant()
        if each:
            yield destination.argument, RESULTS * each


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            for argument, align in aligned_operands(reading):
                found = misplaced(context, reading.call, argument, align)
                if found is not None:
                    yield RULE.finding(
                        reading.call.site,
                        f"{reading.call.name} takes {found.operand} at offset {found.text}; a repeat writes eight "
                        "results together"
                        ". Use offsets of eight elements",
                        facts={"api": reading.call.name, **found.facts},
                        related=found.related,
                        case=found.case,
                    )
                    break


RULE = Rule("ASC-ALN016", "block-reduce-alignment", Severity.ERROR, check)
