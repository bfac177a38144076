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
from ascendopt.analysis.facts.events import InitBufferEvent, QueueEvent
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
                    yield from _held(instance, own[0], queue, max(number or 0 for number in numbers))


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
                yield RULE.finding(
                    event.site,
                    f"AllocTensor number {len(held)} of {queue.name} with none freed in between, and the queue has "
                    f"{buffers} buffer{'s' * (buffers > 1)}: it waits for ever. Free one first, or take {len(held)} "
                    "buffers with InitBuffer",
                    facts={"queue": queue.name, "buffers": buffers, "held": len(held)},
                    related=(Related(init.site.path, init.site.span, "its buffers"),),
                    fix=edits.fix(f"{len(held)} buffers", edits.buffers(init, len(held)), safe=False, of_run=True),
                )
                held.clear()


RULE = Rule("ASC-QUE013", "more-tensors-than-buffers", Severity.ERROR, check)
