"""The rounds of counting loops that decide how far a call reaches: the first and the last one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from ascendopt.analysis.facts.events import ArmStep, Event, ExitEvent, LoopNode, walk_events
from ascendopt.analysis.rules.rule import Context
from ascendopt.analysis.values import Value, evaluate, substitute

# Loops around one call whose ends are tried together.
MOST_LOOPS = 3


def end_rounds(context: Context, event: Event, *values: Value | None) -> Iterator[Mapping[str, int]]:
    """Values of the loop counters in ``values``, by symbol, in first and last rounds that surely reach ``event``.

    Nothing for loops whose number of rounds is not a number, which may be left early, or round a branch that these
    rounds may not take.
    """
    wanted = {name for value in values if value is not None for name in value.symbols()}
    loops = [step.loop for step in event.loops if step.loop.loop_symbol in wanted]
    if not loops or len(loops) > MOST_LOOPS:
        return
    ends = [_ends(context, loop) for loop in loops]
    for counters in product(*ends):
        found = {loop.loop_symbol: counter for loop, counter in zip(loops, counters, strict=True)}
        if _is_reached(context, event, found):
            yield found


def any_or_end_rounds(context: Context, event: Event, *values: Value | None) -> Iterator[Mapping[str, int]]:
    """As ``end_rounds``, after no round in particular: what is a number whatever the counters are."""
    yield {}
    yield from end_rounds(context, event, *values)


def at(value: Value | None, counters: Mapping[str, int]) -> Value | None:
    """``value`` in the round that ``counters`` say."""
    return substitute(value, counters) if value is not None and counters else value


def said(event: Event, counters: Mapping[str, int]) -> str:
    """Which round that is, for a message: `` where i is 9``."""
    names = {step.loop.loop_symbol: step.loop.variable for step in event.loops}
    parts = [f"{names[symbol]} is {counter}" for symbol, counter in counters.items() if symbol in names]
    return f" where {' and '.join(parts)}" if parts else ""


def _ends(context: Context, loop: LoopNode) -> tuple[int, ...]:
    first, last, step, trip = (context.number(value) for value in (loop.first, loop.last, loop.step, loop.trip))
    if first is None or step is None or trip is None or trip < 1:
        return ()
    if any(isinstance(event, ExitEvent) for event in walk_events(loop.body)):
        return ()
    if last == first:
        return (first,)  # it counts down, or runs once
    return (first, first + (trip - 1) * step)


def _is_reached(context: Context, event: Event, counters: Mapping[str, int]) -> bool:
    """False where a branch round ``event`` may be passed by in that round."""
    for step in event.path:
        if not isinstance(step, ArmStep):
            continue
        if step.condition is None:
            return False
        names = step.condition.symbols() & counters.keys()
        if names and not evaluate(context.linked(step.condition), counters):
            return False
    return True
