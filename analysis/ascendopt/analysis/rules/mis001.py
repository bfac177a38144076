"""Vector calls run on vector cores, Mmad on cube cores.

## What it says
A vector call stands in a branch for cube cores, or an ``Mmad`` in one for vector cores, on a chip whose cores are
apart.

## Why
The core has no such unit.

## Example
```cpp
if ASCEND_IS_AIC { Add(z, x, y, n); }
```

## Instead
Guard vector calls with ``ASCEND_IS_AIV``, cube calls with ``ASCEND_IS_AIC``.

## Source
asc-devkit: architecture 2201, compute units.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ArmStep
from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

CUBE_ONLY = frozenset({"Mmad", "LoadData", "Fixpipe"})
AIC, AIV = "ascendIsAic", "ascendIsAiv"


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            call = reading.call
            sides = {
                step.condition.text for step in call.path if isinstance(step, ArmStep) and step.condition is not None
            }
            on_cube, on_vector = _held(sides, AIC), _held(sides, AIV)
            if call.name in CUBE_ONLY and on_vector and not on_cube:
                what, where, guard = call.name, "vector", "ASCEND_IS_AIC"
            elif reading.page.pipe == "V" and call.name not in CUBE_ONLY and on_cube and not on_vector:
                what, where, guard = call.name, "cube", "ASCEND_IS_AIV"
            else:
                continue
            yield RULE.finding(
                call.site,
                f"{what} in a branch for {where} cores, which have no such unit. Guard it with {guard}",
                facts={"api": what, "core": where},
            )


def _held(conditions: set[str], name: str) -> bool:
    """True when a condition is exactly that the code runs on that kind of core."""
    return any(text in (f"?{name}", name, f"(?{name} != 0)") for text in conditions)


RULE = Rule("ASC-MIS001", "call-on-the-other-core", Severity.ERROR, check, families=frozenset({"A2", "A3", "950"}))
