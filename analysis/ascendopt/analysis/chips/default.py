"""The chip that is meant when nobody names one."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ascendopt.analysis.chips.chip import UnknownChip, load_chip

DEFAULT_SOC = "Ascend910B2"


def soc_for(configured: Iterable[str], among: Collection[str] | None = None) -> str:
    """The default chip, or where an operator is ``configured`` for other families alone, one of the first of these.

    Names are those of ``AddConfig`` (``ascend310p``); one that is not known counts as not there. ``among`` are the
    chips that will do (None: all).
    """
    wanted = load_chip(DEFAULT_SOC).family
    others: list[str] = []
    for name in configured:
        try:
            chip = load_chip(name)
        except UnknownChip:
            continue
        if chip.family == wanted:
            return DEFAULT_SOC
        if among is None:
            others.append(chip.name)
        else:
            others += sorted(one for one in among if load_chip(one).family == chip.family)[:1]
    return others[0] if others else DEFAULT_SOC
