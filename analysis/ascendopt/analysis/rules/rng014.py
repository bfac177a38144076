"""A mask of bits fits the width of the elements.

## What it says
A mask of two words has bits that the element type does not use, or none at all.

## Why
A repeat of four-byte elements has 64: the second word is illegal. One of eight-byte elements has 32. With no bit
set nothing is computed.

## Example
```cpp
uint64_t mask[2] = {~0ULL, ~0ULL}; Add(z, x, y, mask, 1, params);  // float
```

## Instead
Set only the bits that exist.

## Source
asc-devkit: SetVectorMask, functions, bit mode.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import Argument
from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Fix, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule

WORD = 64


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            mask = reading.mask
            if mask is None or mask.value is not None or reading.destination is None:
                continue
            low, high = (context.number(mask.field(name)) for name in ("[0]", "[1]"))
            tensors = [operand.argument.tensor for operand in reading.operands]
            widths = [tensor.element_bytes.constant() for tensor in tensors if tensor is not None]
            if low is None or high is None or not widths or None in widths:
                continue
            width = max(width or 0 for width in widths)
            why = _wrong(low, high, width)
            if why is not None:
                yield RULE.finding(
                    reading.call.site,
                    f"mask {mask.text} of {reading.call.name}: {why}",
                    facts={"api": reading.call.name, "low": str(low), "high": str(high)},
                    fix=_fix(context, instance, reading.call, mask) if low and not _wrong(low, 0, width) else None,
                    # Bits that no element has are illegal, and the unit may pass over them.
                    severity=Severity.WARNING if low or high else None,
                )


def _fix(context: Context, instance: Instance, call: ApiCall, mask: Argument) -> Fix | None:
    """Without the bits that no element has."""
    return edits.fix(
        "no bits in the second word", edits.item(context, instance, call, mask, 1, "0"), safe=True, of_run=True
    )


def _wrong(low: int, high: int, width: int) -> str | None:
    low, high = low % (1 << WORD), high % (1 << WORD)
    if low == 0 and high == 0:
        return "no bit is set, nothing is computed. Set the bits of the elements to compute, or drop the call"
    if width == 4 and high:
        return "a repeat has 64 elements of 4 bytes, and the second word has bits. Set the second word to 0"
    if width == 8 and (high or low >> 32):
        return "a repeat has 32 elements of 8 bytes, and there are bits behind them. Set the low 32 bits alone"
    return None


RULE = Rule("ASC-RNG014", "bit-mask-words", Severity.ERROR, check)
