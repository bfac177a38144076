"""With one row Mmad reads a vector.

## What it says
An ``Mmad`` has ``m == 1``.

## Why
The unit then takes the left operand as a plain row, not as a fractal: one that was loaded as fractals gives a wrong
result.

## Example
```cpp
Mmad(c, a, b, MmadParams{1, 16, 64});
```

## Instead
Lay the row out plainly, or pad to 16 rows.

## Source
asc-devkit: Mmad, constraints, item 3.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for call in instance.of(ApiCall):
            params = call.args[-1] if call.name == "Mmad" and call.args else None
            if params is not None and params.struct == "MmadParams" and context.number(params.field("m")) == 1:
                yield RULE.finding(
                    call.site,
                    "Mmad with m == 1 reads the left operand as a plain row: one that was loaded as fractals "
                    "gives a wrong "
                    "result"
                    ". Lay the row out plainly, or pad to 16 rows",
                    facts={"m": 1},
                    related=context.host_side(params.field("m")),
                    case=context.case_of(params.field("m")),
                )


RULE = Rule("ASC-CUB002", "gemv-mode", Severity.WARNING, check, families=frozenset({"A2", "A3", "310B", "950"}))
