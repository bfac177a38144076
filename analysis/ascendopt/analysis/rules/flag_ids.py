"""Another id for a flag, on all sides that use it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ascendopt.analysis.facts.declared import Argument
from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Fix
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context

_LITERAL = re.compile(r"((?:AscendC::)?EVENT_ID)?\d+")


def renumbered(
    context: Context, uses: Sequence[tuple[ApiCall, Argument]], taken: int, free: Iterable[int]
) -> Fix | None:
    """The first of ``free`` that no call of ``uses`` has, where they have ``taken``. None where an id is not known, not
    written as a number, or none is free. Unsafe, because other cores or functions may use the old one as well."""
    numbers = [context.number(argument.value) for _, argument in uses]
    new = next((one for one in free if one not in numbers), None)
    chosen = [use for use, number in zip(uses, numbers, strict=True) if number == taken]
    if None in numbers or new is None:
        return None
    written = [_LITERAL.fullmatch(argument.text.strip()) for _, argument in chosen]
    if not all(written):
        return None
    places = (
        edits.argument(call, argument, f"{(match and match[1]) or ''}{new}")
        for (call, argument), match in zip(chosen, written, strict=True)
    )
    return edits.fix(f"use {new}", *dict.fromkeys(places), safe=False)
