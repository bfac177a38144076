"""A slice covers what its bursts move.

## What it says
A ``DataCopy`` with ``SliceInfo`` has an empty slice, one that ends behind its shape, or bursts of another length
than the slice.

## Why
Another part of the tensor is moved than the indices say.

## Example
```cpp
SliceInfo from[] = {{16, 8, 0, 1, 32}};  // ends before it starts
```

## Instead
``burstLen`` is the number of elements times ``sizeof(T)`` over 32; 1 in the other dimensions.

## Source
asc-devkit: DataCopy of slices between GM and UB, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import Argument
from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

MOST = 8


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            if reading.call.name != "DataCopy":
                continue
            for argument in reading.call.args:
                why = _wrong_slice(context, argument)
                if why is not None:
                    yield RULE.finding(reading.call.site, f"{argument.text}: {why}", facts={"operand": argument.text})
                    break


def _wrong_slice(context: Context, argument: Argument) -> str | None:
    for index in range(MOST):
        names = ("startIndex", "endIndex", "shapeValue")
        start, end, size = (context.number(argument.field(f"[{index}].{name}")) for name in names)
        if start is not None and end is not None and start > end:
            return (
                f"dimension {index} starts at {start} and ends at {end}: swap them, endIndex is the last element taken"
            )
        if end is not None and size is not None and end >= size:
            return (
                f"dimension {index} ends at {end}, its shape at {size - 1}: endIndex is the last element taken, "
                f"at most {size - 1}"
            )
    return None


RULE = Rule("ASC-ALN020", "slice-lengths", Severity.ERROR, check)
