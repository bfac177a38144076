"""The element type is one that the function has on this chip.

## What it says
A function is called on tensors of a type that the chip's documentation does not list for it.

## Why
The vector unit has no such instruction: the call does not compile, or is refused by a static assertion deep
inside of the library that does not name the line.

## Example
```cpp
Adds(z, x, (int64_t)1, 64);  // int64_t has no Adds on A2
```

## Instead
Convert with ``Cast`` to a type that is listed, compute there, and convert back.

## Source
asc-devkit: the page of the function, table of supported types.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.apis import pages
from ascendopt.analysis.facts.events import CopyEvent
from ascendopt.analysis.facts.readings import Reading, readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.operators.names import TYPE_BYTES
from ascendopt.analysis.rules.rule import Context, Rule

# bfloat16_t has a rule of its own (DTY006), with a way out that keeps its range.
OWN_RULE = frozenset({"bfloat16_t"})
# The data operands. Masks and scratch have parameters of their own, whose width alone matters.
BITWISE = frozenset({"And", "Or", "Xor", "Not"})
DATA = frozenset({"T", "srcT", "dstT"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            finding = _check_call(context, reading)
            if finding is not None:
                yield finding


def _check_call(context: Context, reading: Reading) -> Finding | None:
    family = context.chip.family
    for letter, dtype in reading.elements.items():
        if letter not in DATA:
            continue
        allowed = allowed_types(reading.call.name, family, letter)
        if not allowed or dtype in allowed or dtype in OWN_RULE or dtype not in TYPE_BYTES:
            continue
        if isinstance(reading.call, CopyEvent) and TYPE_BYTES[dtype] in {TYPE_BYTES.get(name) for name in allowed}:
            continue  # the units that move data know widths alone
        return RULE.finding(
            reading.call.site,
            f"{reading.call.name} has no {dtype} on {context.chip.name}: it takes {', '.join(sorted(allowed))}"
            ". Cast to one of them and back",
            facts={"api": reading.call.name, "dtype": dtype, "chip": context.chip.name},
            # Bits are bits: what is not documented may still work where no element has a sign or a carry.
            severity=Severity.WARNING if reading.call.name in BITWISE and reading.count is not None else None,
        )
    return None


def allowed_types(name: str, family: str, letter: str) -> frozenset[str]:
    """The dtypes of a template parameter over all pages of a function; empty where nothing is stated."""
    found: set[str] = set()
    for page in pages(name):
        if family in page.types:
            if letter not in page.types[family]:
                return frozenset()
            found |= page.types[family][letter]
    return frozenset(found)


RULE = Rule("ASC-DTY001", "dtype-not-on-chip", Severity.ERROR, check)
