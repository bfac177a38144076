"""A value and its index are written as one.

## What it says
The destination of ``WholeReduceMax`` or ``WholeReduceMin`` with value and index starts at an odd element.

## Why
The pair takes 4 bytes of half, 8 of float, and is written together: another start raises an exception or hits the
neighbour.

## Example
```cpp
WholeReduceMax(y[1], x, 64, 4, 1, 1, 8);  // float: 4 bytes into the buffer
```

## Instead
Use even offsets, and count ``dstRepStride`` in pairs.

## Source
asc-devkit: ReduceRepeat, table 3.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import Argument
from ascendopt.analysis.facts.readings import Reading, readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.alignment import misplaced
from ascendopt.analysis.rules.rule import Context, Rule

PAIRS = frozenset({"WholeReduceMax", "WholeReduceMin"})
PAIR_ORDERS = ("ORDER_VALUE_INDEX", "ORDER_INDEX_VALUE")


def aligned_operands(reading: Reading) -> Iterator[tuple[Argument, int]]:
    """The operands and what each is aligned to."""
    order, destination = reading.argument("order"), reading.destination
    if reading.call.name not in PAIRS or destination is None or destination.argument.tensor is None:
        return
    each = destination.argument.tensor.element_bytes.constant()
    if each and (order is None or order.text.endswith(PAIR_ORDERS)):
        yield destination.argument, 2 * each


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            for argument, align in aligned_operands(reading):
                found = misplaced(context, reading.call, argument, align)
                if found is not None:
                    yield RULE.finding(
                        reading.call.site,
                        f"{reading.call.name} takes {found.operand} at offset {found.text}; value and index are "
                        "written as one pair"
                        ". Use even offsets",
                        facts={"api": reading.call.name, **found.facts},
                        related=found.related,
                        case=found.case,
                    )
                    break


RULE = Rule("ASC-ALN017", "whole-reduce-alignment", Severity.ERROR, check)
