"""A tensor is not used after it went back to its queue.

## What it says
A vector call or copy uses a tensor after ``FreeTensor`` gave it back: an error where the queue hands the buffer on
while the call may still run, a warning where nobody takes it again. It is silent where other flags order the two.

## Why
The buffer is handed to the next copy while it is still being read: two pipes race for it.

## Example
```cpp
xQueue.FreeTensor(x);
Muls(y, x, a, n);
```

## Instead
Free it after its last use; after ``EnQue`` take it out with ``DeQue``.

## Source
asc-devkit: TQue, description.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.handover import Handover, handover
from ascendopt.analysis.facts.model import ApiCall, Instance, QueueEvent
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        gone: dict[int, QueueEvent] = {}
        for event in instance.events():
            # The name from before EnQue is often kept while the data is another round's: only what is freed is certain.
            if isinstance(event, QueueEvent) and event.op == "FreeTensor" and event.handle is not None:
                if event.queue is not None and not event.queue.is_buffer:
                    gone.setdefault(event.handle, event)
            elif isinstance(event, ApiCall):
                yield from _uses(instance, event, gone)


def _uses(instance: Instance, call: ApiCall, gone: dict[int, QueueEvent]) -> Iterator[Finding]:
    for argument in call.args:
        handle = argument.tensor.handle if argument.tensor is not None else None
        given = gone.get(handle) if handle is not None else None
        if given is None or given.path != call.path[: len(given.path)] or given.queue is None:
            continue
        after = handover(instance, call, given.queue)
        if after is Handover.ORDERED:
            continue
        name = given.queue.name
        yield RULE.finding(
            call.site,
            f"{argument.text} is used after FreeTensor gave it back to {name}: "
            + (
                f"the next AllocTensor of {name} may hand it out while {call.name} is at it, and nothing waits. Free "
                "it after its last use"
                if after is Handover.UNORDERED
                else f"it is {name}'s again, and the next AllocTensor that somebody adds takes it away. Free it after "
                "its last use"
            ),
            facts={"queue": name, "tensor": argument.text, "op": given.op},
            related=(Related(given.site.path, given.site.span, "given back here"),),
            severity=Severity.WARNING if after is Handover.NEVER else None,
        )
        return


RULE = Rule("ASC-QUE003", "use-after-free", Severity.ERROR, check)
