"""Mmad reads L0A and L0B and writes L0C.

## What it says
An ``Mmad`` has its left matrix outside of A2, its right one outside of B2, or its result outside of CO1.

## Why
The cube unit is wired to these memories only.

## Example
```cpp
Mmad(c, a1, b2, params);  // a1 is in L1
```

## Instead
Load with ``LoadData`` first.

## Source
asc-devkit: Mmad, constraints, item 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Fix, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule

PLACES = (("the result", "CO1"), ("the left matrix", "A2"), ("the right matrix", "B2"))


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for call in instance.of(ApiCall):
            if call.name != "Mmad":
                continue
            for argument, (what, place) in zip(call.args, PLACES, strict=False):
                position = argument.tensor.position if argument.tensor is not None else None
                if position is not None and position != place:
                    yield RULE.finding(
                        call.site,
                        f"{what} of Mmad, {argument.text}, lies in {position}; it has to lie in {place}",
                        facts={"operand": argument.text, "position": position, "wanted": place},
                        fix=_swapped(call),
                    )
                    break


def _swapped(call: ApiCall) -> Fix | None:
    """Left and right in the other order, where each lies in the place of the other."""
    left, right = call.args[1:3]
    positions = tuple(one.tensor.position if one.tensor is not None else None for one in (left, right))
    if positions != ("B2", "A2"):
        return None
    places = (edits.argument(call, left, right.text), edits.argument(call, right, left.text))
    return edits.fix("swap left and right", *places, safe=False, of_run=True)


RULE = Rule("ASC-CUB001", "mmad-positions", Severity.ERROR, check)
