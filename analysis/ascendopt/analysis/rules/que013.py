"""A queue hands out as many tensors as it has buffers.

## What it says
More tensors of a queue are held at a time than ``InitBuffer`` gave it buffers.

## Why
``AllocTensor`` waits until a buffer is free. When the same core would have to free it later, it waits for ever.

## Example
```cpp
pipe.InitBuffer(queue, 2, bytes);
a = queue.AllocTensor<half>(); b = queue.AllocTensor<half>(); c = queue.AllocTensor<half>();
```

## Instead
Give the queue as many buffers as are held together, or free one first.

## Source
asc-devkit: AllocTensor, constraints; InitBuffer, num.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import QueueFact
from ascendopt.analysis.facts.events import ExitEvent, InitBufferEvent, LoopStep, QueueEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        if instance.complete:
            inits = instance.of(InitBufferEvent)
            for queue in dict.fromkeys(init.queue for init in inits):
                own = [init for init in inits if init.queue == queue]
                numbers = [context.number(init.num) for init in own]
                if queue is not None and None not in numbers and not queue.is_buffer and queue.count == 1:
                    buffers = max(number or 0 for number in numbers)
                    yield from _held(instance, own[0], queue, buffers)
                    yield from _held_in_a_loop(context, instance, own[0], queue, buffers)


def _held_in_a_loop(
    context: Context, instance: Instance, init: InitBufferEvent, queue: QueueFact, buffers: int
) -> Iterator[Finding]:
    """Every round takes one and none of the loop gives one back."""
    for event in instance.of(QueueEvent):
        if event.op != "AllocTensor" or event.queue != queue or not event.path or not event.is_certain:
            continue
        step = event.path[-1]
        rounds = context.number(step.trip) if isinstance(step, LoopStep) else None
        if rounds is None or rounds <= buffers or not isinstance(step, LoopStep):
            continue
        inside = [one for one in instance.events() if any(outer.loop is step.loop for outer in one.loops)]
        own = [one for one in inside if isinstance(one, QueueEvent)]
        if own == [event] and not any(isinstance(one, ExitEvent) for one in inside):
            yield _finding(event, init, queue, buffers, rounds)


def _held(instance: Instance, init: InitBufferEvent, queue: QueueFact, buffers: int) -> Iterator[Finding]:
    """Counts along calls that surely follow each other: in one function, the same loops and branches around all."""
    held: list[QueueEvent] = []
    for event in instance.of(QueueEvent):
        if event.queue is None or event.op == "FreeTensor":
            held.clear()  # one may have been from here
        elif event.op == "AllocTensor" and event.queue == queue:
            held = [before for before in held if (before.path, before.calls) == (event.path, event.calls)]
            held.append(event)
            if len(held) > buffers:
                yield _finding(event, init, queue, buffers, len(held))
                held.clear()


def _finding(event: QueueEvent, init: InitBufferEvent, queue: QueueFact, buffers: int, held: int) -> Finding:
    return RULE.finding(
        event.site,
        f"AllocTensor number {held} of {queue.name} with none freed in between, and the queue has "
        f"{buffers} buffer{'s' * (buffers > 1)}: it waits for ever. Free one first, or take {held} "
        "buffers with InitBuffer",
        facts={"queue": queue.name, "buffers": buffers, "held": held},
        related=(Related(init.site.path, init.site.span, "its buffers"),),
        fix=edits.fix(f"{held} buffers", edits.buffers(init, held), safe=False, of_run=True),
    )


RULE = Rule("ASC-QUE013", "more-tensors-than-buffers", Severity.ERROR, check)
