"""A queue or TBuf gets its memory before it is used.

## What it says
``AllocTensor`` or ``Get`` is called on a queue or ``TBuf`` for which the kernel never calls ``InitBuffer``.

## Why
There is no memory behind it: ``AllocTensor`` has no buffer to hand out, and ``Get`` of a ``TBuf`` gives an address that
nobody took, so that other tensors are overwritten.

## Example
```cpp
LocalTensor<float> wide = castBuf.Get<float>();  // and no pipe.InitBuffer(castBuf, ..) anywhere
```

## Instead
Call ``InitBuffer`` for it in ``Init``, under the same condition as its use.

## Source
asc-devkit: TPipe, InitBuffer; TBuf, Get.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import QueueFact, Site
from ascendopt.analysis.facts.events import BufferGetEvent, InitBufferEvent, QueueEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        inits = instance.of(InitBufferEvent)
        # A kernel class that is walked on its own may get its memory elsewhere, and so may one whose pipe is not seen.
        if not instance.complete or instance.is_synthetic or not inits or any(init.queue is None for init in inits):
            continue
        taken = {init.queue for init in inits}
        for queue, (site, call) in _first_uses(instance).items():
            if queue not in taken and queue.count == 1:
                yield RULE.finding(
                    site,
                    f"{queue.name}: {call} without InitBuffer. The kernel never takes memory for it, so that there is "
                    f"none to hand out. Call InitBuffer({queue.name}, ..) in Init, where this is used",
                    facts={"queue": queue.name, "call": call},
                    related=(Related(queue.site.path, queue.site.span, f"{queue.name} is declared here"),),
                )


def _first_uses(instance: Instance) -> dict[QueueFact, tuple[Site, str]]:
    found: dict[QueueFact, tuple[Site, str]] = {}
    for event in instance.of(BufferGetEvent):
        if event.tensor.queue is not None and event.is_certain:
            found.setdefault(event.tensor.queue, (event.site, "Get"))
    for event in instance.of(QueueEvent):
        if event.op == "AllocTensor" and event.queue is not None and event.is_certain:
            found.setdefault(event.queue, (event.site, event.op))
    return found


RULE = Rule("ASC-MEM013", "no-init-buffer", Severity.ERROR, check)
