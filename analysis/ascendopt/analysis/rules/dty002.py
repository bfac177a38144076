"""Cast converts only between certain types, each with certain rounding modes.

## What it says
``Cast`` is called with a pair of types, or with a rounding mode for a pair, that the chip does not have.

## Why
Each pair is an instruction of its own. ``CAST_NONE`` exists only where nothing can be lost, or where the page
says so; a pair that is missing needs a step in between.

## Example
```cpp
Cast(y, x, RoundMode::CAST_NONE, n);  // float -> bfloat16_t loses bits: a rounding mode is needed
```

## Instead
``CAST_RINT`` rounds to the nearest value, as most references do. For a missing pair go through ``float`` or
``half``.

## Source
asc-devkit: Cast, tables of conversions for each product.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from ascendopt.analysis.apis import pages
from ascendopt.analysis.facts.readings import Reading, readings
from ascendopt.analysis.findings import Finding, Fix, Severity, TextEdit
from ascendopt.analysis.operators.names import TYPE_BYTES
from ascendopt.analysis.rules.rule import Context, Rule

COLUMNS = ("src", "dst", "roundMode")


@cache
def conversions(family: str) -> Mapping[tuple[str, str], frozenset[str]]:
    """Modes of each (source, destination) on a chip; a pair whose modes are described in words has none."""
    found: dict[tuple[str, str], frozenset[str]] = {}
    for page in pages("Cast"):
        for table in page.combinations.get(family, ()):
            if table.columns != COLUMNS:
                continue
            for source, destination, modes in table.rows:
                known = frozenset(modes.split("|")) if modes.startswith("CAST_") else frozenset[str]()
                found[source, destination] = found.get((source, destination), frozenset()) | known
    return found


def check(context: Context) -> Iterator[Finding]:
    known = conversions(context.chip.family)
    if not known:
        return
    for instance in context.instances():
        for reading in readings(instance):
            if reading.call.name == "Cast":
                finding = _check_cast(context, reading, known)
                if finding is not None:
                    yield finding


def _check_cast(context: Context, reading: Reading, known: Mapping[tuple[str, str], frozenset[str]]) -> Finding | None:
    mode = reading.argument("roundMode")
    if len(reading.operands) < 2 or mode is None:
        return None
    destination, source = (operand.dtype for operand in reading.operands[:2])
    if destination not in TYPE_BYTES or source not in TYPE_BYTES:
        return None
    facts = {"from": source, "to": destination, "chip": context.chip.name}
    if (source, destination) not in known:
        ways = sorted(to for start, to in known if start == source)
        return RULE.finding(
            reading.call.site,
            f"Cast {source} -> {destination} does not exist on {context.chip.name}: {source} can become "
            f"{', '.join(ways) or 'nothing else'}. Convert in two steps",
            facts={**facts},
        )
    modes = known[source, destination]
    name = mode.enumerator
    if not modes or not name.startswith("CAST_") or name in modes:
        return None
    fix = None
    if "CAST_RINT" in modes:
        edit = TextEdit(reading.call.site.path, mode.span, mode.text.replace(name, "CAST_RINT"))
        fix = Fix("AscendC: round to nearest (CAST_RINT)", (edit,), safe=False, of_run=True)
    order = ("CAST_NONE", "CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC", "CAST_ODD")
    return RULE.finding(
        reading.call.site,
        f"Cast {source} -> {destination}: {name} is not supported on {context.chip.name}; allowed: "
        f"{', '.join(one for one in order if one in modes)}",
        facts={**facts, "mode": name},
        fix=fix,
    )


RULE = Rule("ASC-DTY002", "cast-not-on-chip", Severity.ERROR, check)
