"""Mmad and Fixpipe agree on the unit flag.

## What it says
``Mmad`` sets ``unitFlag`` and ``Fixpipe`` does not, or the other way round.

## Why
One side waits for marks that the other does not give: the kernel hangs, or the result leaves too early.

## Example
```cpp
mmad.unitFlag = 3; .. fixpipe.unitFlag = 0;
```

## Instead
Use 2 for all but the last ``Mmad`` and 3 for the last, and 3 for ``Fixpipe``.

## Source
asc-devkit: unit flag, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Fix, Related, Severity
from ascendopt.analysis.rules.repair import before
from ascendopt.analysis.rules.rule import Context, Rule

LAST = 3


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        products = [call for call in instance.of(ApiCall) if call.name == "Mmad"]
        moves = [call for call in instance.of(ApiCall) if call.name == "Fixpipe"]
        sides = (_flags(context, products), _flags(context, moves))
        if not all(sides) or any(None in side for side in sides):
            continue
        used = [any(side) for side in sides]
        if used[0] != used[1]:
            name, other = ("Mmad", "Fixpipe") if used[0] else ("Fixpipe", "Mmad")
            call, partner = (products[0], moves[0]) if used[0] else (moves[0], products[0])
            yield RULE.finding(
                call.site,
                f"{name} sets unitFlag and {other} does not: one waits for marks that the other does not give. Use "
                "2 for all "
                "but the last Mmad, 3 for the last, and 3 for Fixpipe",
                facts={"side": name},
                related=(Related(partner.site.path, partner.site.span, f"{other} without unitFlag"),),
                fix=_fix(moves if used[0] else products),
            )


def _fix(calls: list[ApiCall]) -> Fix | None:
    """The flag of a last call, where there is but one, set right before it."""
    params = next((one for one in calls[0].args if one.struct is not None and one.text.isidentifier()), None)
    if len(calls) > 1 or calls[0].in_loop or params is None:
        return None
    return before(calls[0].site, f"{params.text}.unitFlag = {LAST}", f"{params.text}.unitFlag = {LAST};", safe=False)


def _flags(context: Context, calls: list[ApiCall]) -> list[int | None]:
    structures = [argument for call in calls for argument in call.args if argument.struct is not None]
    return [context.number(argument.field("unitFlag")) for argument in structures]


RULE = Rule("ASC-CUB003", "unit-flag-both-sides", Severity.ERROR, check, families=frozenset({"A2", "A3", "950"}))
