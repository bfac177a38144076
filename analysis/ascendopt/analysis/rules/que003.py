"""A tensor is not used after it went back to its queue.

## What it says
A vector call or copy uses a tensor after ``FreeTensor`` or ``EnQue`` gave it away.

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

from ascendopt.analysis.facts.model import ApiCall, QueueEvent
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.rule import Context, Rule

GIVES = frozenset({"FreeTensor", "EnQue"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        gone: dict[int, QueueEvent] = {}
        for event in instance.events():
            if isinstance(event, QueueEvent) and event.op in GIVES and event.handle is not None:
                if event.queue is not None and not event.queue.is_buffer:
                    gone.setdefault(event.handle, event)
            elif isinstance(event, ApiCall):
                yield from _uses(event, gone)


def _uses(call: ApiCall, gone: dict[int, QueueEvent]) -> Iterator[Finding]:
    for argument in call.args:
        handle = argument.tensor.handle if argument.tensor is not None else None
        given = gone.get(handle) if handle is not None else None
        if given is None or given.path != call.path[: len(given.path)] or given.queue is None:
            continue
        # The name from before EnQue is often kept while the data is another round's: only what is freed is certain.
        if given.op == "EnQue":
            continue
        yield RULE.finding(
            call.site,
            f"{argument.text} is used after {given.op} gave it back to {given.queue.name}: the next copy may "
            "already be "
            "writing there"
            ". Use it before it goes back",
            facts={"queue": given.queue.name, "tensor": argument.text, "op": given.op},
            related=(Related(given.site.path, given.site.span, "given back here"),),
        )
        return


RULE = Rule("ASC-QUE003", "use-after-free", Severity.ERROR, check)
