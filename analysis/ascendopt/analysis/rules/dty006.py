"""bfloat16_t arithmetic needs float in between.

## What it says
An arithmetic function is called on ``bfloat16_t`` and the chip's vector unit has no such arithmetic.

## Why
On A2 and A3 ``bfloat16_t`` can be moved and converted but not computed with. The call does not compile.

## Example
```cpp
Add(z, x, y, n);  // LocalTensor<bfloat16_t>
```

## Instead
``Cast`` both sources to ``float``, add there, and ``Cast`` back with ``CAST_RINT``.

## Source
asc-devkit: Add, Mul and the other arithmetic pages, tables of supported types for Atlas A2 and A3.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.dty001 import allowed_types
from ascendopt.analysis.rules.rule import Context, Rule

BF16 = "bfloat16_t"


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            for letter, dtype in reading.elements.items():
                allowed = allowed_types(reading.call.name, context.chip.family, letter)
                if dtype == BF16 and allowed and BF16 not in allowed:
                    yield RULE.finding(
                        reading.call.site,
                        f"{reading.call.name} has no bfloat16_t on {context.chip.name}: it takes "
                        f"{', '.join(sorted(allowed))}. Cast to float, compute there, and cast back with CAST_RINT",
                        facts={"api": reading.call.name, "dtype": dtype, "chip": context.chip.name},
                    )
                    break


RULE = Rule("ASC-DTY006", "bf16-arithmetic", Severity.ERROR, check)
