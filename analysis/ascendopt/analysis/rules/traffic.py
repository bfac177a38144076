"""How much a loop moves: what the rules about the size and overlap of copies share."""

from __future__ import annotations

from ascendopt.analysis.facts.model import Event
from ascendopt.analysis.rules.rule import Context

# Below that much data a kernel is its start-up, and no shape of its copies matters.
WORTH_BYTES = 1 << 20


def rounds(context: Context, event: Event) -> int | None:
    """How often ``event`` happens: the product of the loops around it, None where one has no number."""
    product = 1
    for step in event.loops:
        trip = context.number(step.trip)
        if trip is None:
            return None
        product *= trip
    return product


def worth_shaping(context: Context, event: Event, size: int) -> bool:
    """True when ``event``, of ``size`` bytes each time, surely moves enough for its shape to matter."""
    times = rounds(context, event)
    return times is not None and times > 1 and times * size >= WORTH_BYTES
