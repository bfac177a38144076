"""How much a loop moves: what the rules about the size and overlap of copies share."""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ArmStep, Event, ExitEvent
from ascendopt.analysis.facts.model import Instance
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


def surely_happens(context: Context, instance: Instance, event: Event) -> bool:
    """Whether the loops around ``event`` have a round, its conditions hold, and nothing before it may leave."""
    if not event.is_certain or not rounds(context, event) or not all(_holds(context, event)):
        return False
    return not any(_may_skip(context, exit_, event) for exit_ in instance.of(ExitEvent))


def _holds(context: Context, event: Event) -> Iterator[int | None]:
    """What is known of the conditions around ``event``."""
    return (context.number(step.condition) for step in event.path if isinstance(step, ArmStep))


def _may_skip(context: Context, exit_: ExitEvent, event: Event) -> bool:
    """Whether ``exit_`` comes before ``event``, may be taken, and leaves something that ``event`` is in."""
    if exit_.order > event.order or event.calls[: len(exit_.calls)] != exit_.calls or 0 in _holds(context, exit_):
        return False
    return exit_.kind == "return" or exit_.loops[-1:] == event.loops[len(exit_.loops) - 1 : len(exit_.loops)]


def worth_shaping(context: Context, event: Event, size: int) -> bool:
    """True when ``event``, of ``size`` bytes each time, surely moves enough for its shape to matter."""
    times = rounds(context, event)
    return times is not None and times > 1 and times * size >= WORTH_BYTES
