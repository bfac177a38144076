"""Gatherb fetches whole blocks.

## What it says
A ``Gatherb`` takes offsets that were made in steps of no multiple of 32 bytes.

## Why
It fetches blocks of 32 bytes: an offset in between gives other data.

## Example
```cpp
ArithProgression(offsets, 0, 4, 8); Gatherb(y, x, offsets, 1, {1, 8});
```

## Instead
Use multiples of 32.

## Source
asc-devkit: Gatherb, constraints, offset.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.rule import Context, Rule

BLOCK = 32


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        steps: dict[int, tuple[ApiCall, int]] = {}
        for call in instance.of(ApiCall):
            target = call.args[0].tensor if call.args else None
            if call.name == "Gatherb" and len(call.args) > 2:
                offsets = call.args[2].tensor
                made = steps.get(offsets.handle) if offsets is not None and offsets.handle is not None else None
                if made is not None and made[1] % BLOCK:
                    yield RULE.finding(
                        call.site,
                        f"Gatherb takes offsets in steps of {made[1]} bytes: it fetches blocks of {BLOCK} bytes"
                        ". Use multiples of 32",
                        facts={"step": made[1], "align": BLOCK},
                        related=(Related(made[0].site.path, made[0].site.span, "filled here"),),
                    )
            if target is not None and target.handle is not None:
                steps.pop(target.handle, None)
                step = context.number(call.args[2].value) if len(call.args) > 2 else None
                if call.name == "ArithProgression" and step is not None:
                    steps[target.handle] = (call, step)


RULE = Rule("ASC-ALN013", "gatherb-offsets", Severity.ERROR, check, families=frozenset({"A2", "A3", "310P", "950"}))
