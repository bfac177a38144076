"""Whether a queue hands a buffer on while a call still uses it."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from ascendopt.analysis.facts.declared import QueueFact
from ascendopt.analysis.facts.events import ApiCall, Event, LoopStep, QueueEvent, exclusive
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.ordering import Access, Pipes, accesses
from ascendopt.analysis.facts.readings import read_call


class Handover(Enum):
    """What happens to a buffer that was given back and is still used."""

    UNORDERED = "the pipe that gets it next has not waited for the use"
    ORDERED = "the pipe that gets it next has waited for the use, by other flags"
    NEVER = "nobody takes it from the queue again"


def handover(instance: Instance, use: ApiCall, queue: QueueFact) -> Handover:
    """How the use of a tensor that ``queue`` got back stands to those who get its buffer next: the tensors of the
    ``AllocTensor`` calls behind it, and of those before it in a loop around both."""
    events = list(instance.events())
    found = [_is_ordered(use, way) for way in _ways(events, use, queue)]
    if not found:
        return Handover.NEVER
    return Handover.ORDERED if all(found) else Handover.UNORDERED


def _ways(events: list[Event], use: ApiCall, queue: QueueFact) -> Iterator[list[Event]]:
    """What happens from the use to the first call on each tensor that may get the buffer, the next round included."""
    for event in events:
        if not isinstance(event, QueueEvent) or event.op != "AllocTensor" or event.queue != queue:
            continue
        taker = _first_call(events, event)
        if taker is None or exclusive(event, use):
            continue
        if event.order > use.order:
            yield [other for other in events if use.order < other.order <= taker.order]
            continue
        around = [step.loop for step in use.loops if any(step.loop is other.loop for other in event.loops)]
        if around:
            inside = [other for other in events if _is_in(other, around[-1])]
            yield [
                *(other for other in inside if other.order > use.order),
                *(other for other in inside if other.order <= taker.order),
                taker,
            ]


def _first_call(events: list[Event], taken: QueueEvent) -> ApiCall | None:
    """The first call that works on the tensor that ``taken`` got."""
    for event in events:
        if event.order > taken.order and isinstance(event, ApiCall):
            tensors = [access.tensor for access in accesses(event, read_call(event), 0)]
            if any(tensor.handle == taken.handle for tensor in tensors):
                return event
    return None


def _is_in(event: Event, loop: object) -> bool:
    return any(isinstance(step, LoopStep) and step.loop is loop for step in event.path)


def _is_ordered(use: ApiCall, way: list[Event]) -> bool:
    """True when the pipe of the last call of ``way`` knows by then that the use is over."""
    user = next((access.pipe for access in accesses(use, read_call(use), 0)), "V")
    taker = next((access.pipe for access in _accesses(way[-1])), None)
    if taker is None or taker == user:
        return True
    pipes = Pipes()
    for position, event in enumerate(way, 1):
        pipes.pass_by(event, position)
    return pipes.known[taker][user] >= 0


def _accesses(event: Event) -> Iterator[Access]:
    if isinstance(event, ApiCall):
        yield from accesses(event, read_call(event), 0)
