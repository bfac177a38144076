"""EnQue and DeQue come in pairs.

## What it says
A queue is filled and never emptied, emptied and never filled, or emptied more often than it is filled.

## Why
``EnQue`` sets the event that says the copy is done and ``DeQue`` waits for it. Without the ``DeQue`` the tensor
is read before its data has arrived; a ``DeQue`` of an empty queue waits for ever.

## Example
```cpp
DataCopy(x, xGm, n);
xQueue.EnQue(x);
Add(z, x, y, n);  // x may still be on its way
```

## Instead
Take the tensor out with ``DeQue`` before the first use.

## Source
asc-devkit: EnQue, DeQue, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import QueueFact
from ascendopt.analysis.facts.events import ApiCall, QueueEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Finding, Fix, Related, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.repair import ahead, name_in
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        if not instance.complete:
            continue
        events = [event for event in instance.of(QueueEvent) if event.op in ("EnQue", "DeQue")]
        if any(event.queue is None for event in events):
            continue
        for queue in dict.fromkeys(event.queue for event in events if event.queue is not None):
            own = [event for event in events if event.queue == queue]
            filled = [event for event in own if event.op == "EnQue"]
            emptied = [event for event in own if event.op == "DeQue"]
            if not emptied:
                yield _never_emptied(instance, queue, filled[0])
            elif not filled and (elsewhere := _put_elsewhere(instance, queue)) is not None:
                yield _wrong_queue(queue, elsewhere, emptied[0])
            elif not filled:
                yield RULE.finding(
                    emptied[0].site,
                    f"{queue.name}: DeQue without EnQue. Nothing is ever put into the queue: DeQue waits for ever. "
                    f"Call {queue.name}.EnQue with the filled tensor first",
                    facts={"queue": queue.name, "missing": "EnQue"},
                )
            elif queue.count == 1 and len(emptied) > len(filled) and len({event.path for event in own}) == 1:
                yield _too_often(queue, filled, emptied)


def _put_elsewhere(instance: Instance, queue: QueueFact) -> QueueEvent | None:
    """Where a tensor that ``queue`` handed out is put into another queue."""
    events = instance.of(QueueEvent)
    own = {event.handle for event in events if event.op == "AllocTensor" and event.queue == queue} - {None}
    return next((event for event in events if event.op == "EnQue" and event.handle in own), None)


def _wrong_queue(queue: QueueFact, put: QueueEvent, emptied: QueueEvent) -> Finding:
    return RULE.finding(
        put.site,
        f"{put.tensor_name} is from {queue.name} and is put into {put.queue_text}: nothing is ever put into "
        f"{queue.name}, and its DeQue waits for ever. Call {queue.name}.EnQue({put.tensor_name})",
        facts={"queue": queue.name, "given_to": put.queue_text, "missing": "EnQue"},
        related=(Related(emptied.site.path, emptied.site.span, f"DeQue of {queue.name} waits here"),),
    )


def _too_often(queue: QueueFact, filled: list[QueueEvent], emptied: list[QueueEvent]) -> Finding:
    """All calls stand in the same loops and branches: each round takes out more than it puts in."""
    surplus = emptied[len(filled)]
    return RULE.finding(
        surplus.site,
        f"{queue.name}: DeQue number {len(filled) + 1} after {len(filled)} EnQue: the queue is empty, and DeQue waits "
        "for ever. Take each tensor out once, and use it under one name",
        facts={"queue": queue.name, "filled": len(filled), "emptied": len(emptied)},
        related=(Related(filled[-1].site.path, filled[-1].site.span, "the last EnQue"),),
    )


def _never_emptied(instance: Instance, queue: QueueFact, filled: QueueEvent) -> Finding:
    use = _first_use(instance, filled)
    reader = (
        f"{use.name} reads the tensor before the copy is known to be finished"
        if use
        else "the event is never waited for"
    )
    return RULE.finding(
        (use or filled).site,
        f"{queue.name}: EnQue without DeQue. {reader[0].upper()}{reader[1:]}: no event is waited for between the "
        f"pipes. Call {queue.name}.DeQue before the first use",
        facts={"queue": queue.name, "missing": "DeQue"},
        related=(Related(filled.site.path, filled.site.span, "put into the queue here"),),
        fix=_take_out(filled, use) if use is not None else None,
    )


def _take_out(filled: QueueEvent, use: ApiCall) -> Fix | None:
    name = name_in(use, filled.handle)
    element = next((a.tensor.element for a in use.args if a.tensor and a.tensor.handle == filled.handle), None)
    if name is None or element is None:
        return None
    text = f"{name} = {filled.queue_text}.DeQue<{element}>();"
    return edits.fix("take the tensor out of the queue first", ahead(use.site, text), safe=False, of_run=True)


def _first_use(instance: Instance, filled: QueueEvent) -> ApiCall | None:
    for call in instance.of(ApiCall):
        if call.order > filled.order and any(
            argument.tensor is not None and argument.tensor.handle == filled.handle for argument in call.args
        ):
            return call
    return None


RULE = Rule("ASC-QUE002", "enque-deque-pairing", Severity.ERROR, check)
