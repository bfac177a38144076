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

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

REPEAT = 256
CYCLES = 20


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            count, destination = reading.count, reading.destination
            if reading.page.pipe != "V" or count is None or destination is None or not reading.call.in_loop:
                continue
            tensor = destination.argument.tensor
            each = tensor.element_bytes.constant() if tensor is not None else None
            elements = count.value.constant() if count.value is not None else None
            if not each or not elements or elements * each >= REPEAT or len(reading.call.loops) < 2:
                continue
            yield RULE.finding(
                reading.call.site,
                f"{reading.call.name} of {elements} x {each} = {elements * each} bytes in an inner loop: less than "
                "a repeat of "
                f"{REPEAT}, so that the start-up of about {CYCLES} cycles decides. Merge the calls",
                facts={"bytes": elements * each, "api": reading.call.name},
            )


RULE = Rule("ASC-PRF021", "short-vector-calls", Severity.PERF, check)
