"""Some functions do not work in place.

## What it says
``Gather``, ``Gatherb``, ``Brcb`` or a library function such as ``Silu`` reads and writes the same tensor.

## Why
Elements are overwritten before they are read: the result is not defined.

## Example
```cpp
Gather(x, x, offsets, 0, n);
```

## Instead
Write to another buffer.

## Source
asc-devkit: Gather, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import Reading, readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

NOT_IN_PLACE = frozenset({"Gather", "Gatherb", "Brcb"})
# Library functions whose pages say that source and destination may not overlap.
LIBRARY = frozenset(
    (
        *(
            "Acos",
            "Acosh",
            "Asin",
            "Asinh",
            "Atan",
            "Atanh",
            "Broadcast",
            "Ceil",
            "Clamp",
            "ClampMax",
            "ClampMin",
            "Cos",
        ),
        *("Cosh", "Digamma", "Erf", "Erfc", "Floor", "Fmod", "Frac", "GeGLU", "Hypot", "Lgamma", "LogSoftMax", "Mean"),
        *("Power", "ReGlu", "Rint", "Sigmoid", "Sign", "Silu", "Sin", "Sinh", "Sort", "Sum", "SwiGLU", "Swish", "Tan"),
        *("Tanh", "TopK", "Where", "Xor"),
    )
)


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            destination = reading.destination
            if (
                reading.call.name not in NOT_IN_PLACE | LIBRARY
                or destination is None
                or destination.argument.tensor is None
            ):
                continue
            for source in reading.sources:
                tensor = source.argument.tensor
                written = destination.argument.tensor
                same = tensor is not None and tensor.buffer is not None and tensor.buffer == written.buffer
                if same and tensor is not None and tensor.offset == written.offset:
                    yield _finding(context, reading, source.argument.text)
                    break


def _finding(context: Context, reading: Reading, operand: str) -> Finding:
    name = reading.call.name
    effect = "what comes out is not defined"
    if name == "Brcb":
        effect = "a second repeat reads what the first one has written"
    elif name in LIBRARY:
        effect = "its steps read what earlier ones have written, in some versions of the library"
    return RULE.finding(
        reading.call.site,
        f"{name} does not allow source and destination to overlap: {operand} is used as both; {effect}. Write to "
        "another tensor",
        facts={"api": name, "operand": operand},
        severity=None if _is_surely_wrong(context, reading) else Severity.WARNING,
    )


def _is_surely_wrong(context: Context, reading: Reading) -> bool:
    """Brcb makes eight blocks of each: from the second repeat on its input is gone. All else that the pages forbid may
    still give the right numbers: operators in use rely on it."""
    repeats = context.number(reading.repeats.value) if reading.repeats is not None else None
    return reading.call.name == "Brcb" and repeats is not None and repeats > 1


RULE = Rule("ASC-OVL003", "same-source-and-destination", Severity.ERROR, check)
