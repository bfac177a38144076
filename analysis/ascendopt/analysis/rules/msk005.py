"""One mask for a loop is set once.

## What it says
A loop has four or more vector calls in the mask-and-repeat form with the same mask, each of which sets it.

## Why
Each call spends cycles on the mask; the published case saves 720 cycles on 4 x 180 calls.

## Example
```cpp
for (..) { Add(.., 64, r, p); Mul(.., 64, r, p); Sub(.., 64, r, p); Muls(.., 64, r, p); }
```

## Instead
``SetMaskNorm``, ``SetVectorMask`` once before the loop, and ``isSetMask = false``.

## Source
asc-devkit: reuse of a global mask, comparison.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import Reading, readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

ENOUGH = 4


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        groups: dict[tuple[int, str], list[Reading]] = {}
        for reading in readings(instance):
            loops = reading.call.loops
            sets = reading.page.pipe == "V" and "false" not in reading.call.template_args
            if sets and reading.mask is not None and reading.repeats is not None and loops:
                groups.setdefault((id(loops[-1].loop), reading.mask.text.strip()), []).append(reading)
        for (_, mask), group in groups.items():
            if len(group) >= ENOUGH:
                yield RULE.finding(
                    group[0].call.site,
                    f"{len(group)} calls in this loop set the same mask {mask}. Set it once before the loop and pass "
                    "isSetMask = false",
                    facts={"calls": len(group), "mask": mask},
                )


RULE = Rule("ASC-MSK005", "mask-set-again", Severity.PERF, check, families=frozenset({"A2", "A3"}))
