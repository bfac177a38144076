"""A vector call is worth its start-up from a few hundred bytes on.

## What it says
A vector call inside of a loop works on a constant number of elements that fill less than a repeat of 256 bytes.

## Why
A call starts up in about 20 cycles and then does 256 bytes a cycle: most of its time is start-up.

## Example
```cpp
for (..) Add(z[i * 8], x[i * 8], y[i * 8], 8);
```

## Instead
Make the tile longer, or merge the calls by strides.

## Source
timing model of the add series: vector calls.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.facts.readings import Reading, readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.rules.traffic import rounds

REPEAT = 256
CYCLES = 20
MANY = 32


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            destination = reading.destination
            if reading.page.pipe != "V" or destination is None or not reading.call.in_loop:
                continue
            tensor = destination.argument.tensor
            each = tensor.element_bytes.constant() if tensor is not None else None
            elements = _elements(reading)
            if not each or not elements or elements * each >= REPEAT or not _is_often(context, reading.call):
                continue
            yield RULE.finding(
                reading.call.site,
                f"{reading.call.name} of {elements} x {each} = {elements * each} bytes in a loop: less than "
                "a repeat of "
                f"{REPEAT}, so that the start-up of about {CYCLES} cycles decides. Merge the calls",
                facts={"bytes": elements * each, "api": reading.call.name},
            )


def _elements(reading: Reading) -> int | None:
    """What one call computes: its count, or the lanes of its only repeat."""
    count, mask, repeats = reading.count, reading.mask, reading.repeats
    if count is not None:
        return count.value.constant() if count.value is not None else None
    if reading.strides is None or mask is None or mask.value is None or repeats is None or repeats.value is None:
        return None
    return mask.value.constant() if repeats.value.constant() == 1 else None


def _is_often(context: Context, call: ApiCall) -> bool:
    """True in a loop in a loop, and in one of many rounds: a tile that is that short is said by its copies."""
    return len(call.loops) >= 2 or (rounds(context, call) or 0) >= MANY


RULE = Rule("ASC-PRF021", "short-vector-calls", Severity.PERF, check)
