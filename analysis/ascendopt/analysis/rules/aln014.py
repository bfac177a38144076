"""Operands of Sort32 lie on whole groups of 32.

## What it says
A ``Sort32`` has scores that start at no multiple of 128 bytes (float) or 64 bytes (half), indices at no multiple of
128, or a result at no multiple of 256.

## Why
The unit sorts groups of 32 elements: with another start the result is not defined.

## Example
```cpp
Sort32(pairs, scores[8], index, 4);  // float: 32 bytes into the buffer
```

## Instead
Use offsets of whole groups of 32 elements.

## Source
asc-devkit: Sort32, constraints, last item.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import Argument
from ascendopt.analysis.facts.readings import Reading, readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.alignment import misplaced
from ascendopt.analysis.rules.rule import Context, Rule

GROUP = 32


def aligned_operands(reading: Reading) -> Iterator[tuple[Argument, int]]:
    """The operands and what each is aligned to."""
    if reading.call.name != "Sort32" or len(reading.operands) < 3:
        return
    destination, scores, index = (operand.argument for operand in reading.operands[:3])
    each = scores.tensor.element_bytes.constant() if scores.tensor is not None else None
    yield destination, 256
    if each:
        yield scores, GROUP * each
    yield index, GROUP * 4


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            for argument, align in aligned_operands(reading):
                found = misplaced(context, reading.call, argument, align)
                if found is not None:
                    yield RULE.finding(
                        reading.call.site,
                        f"{reading.call.name} takes {found.operand} at offset {found.text}; Sort32 works on whole "
                        "groups of 32 elements"
                        ". Use offsets of 32 elements",
                        facts={"api": reading.call.name, **found.facts},
                        related=found.related,
                        case=found.case,
                    )
                    break


RULE = Rule("ASC-ALN014", "sort32-alignment", Severity.ERROR, check)
