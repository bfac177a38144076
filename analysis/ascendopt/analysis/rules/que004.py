"""A TBuf has no queue.

## What it says
``EnQue``, ``DeQue`` or ``FreeTensor`` is called on a ``TBuf``.

## Why
A ``TBuf`` is memory and nothing else: no event is set or waited for. Older library versions accept the calls and do
nothing.

## Example
```cpp
work.EnQue(t);  // TBuf<TPosition::VECCALC> work
```

## Instead
Use a ``TQue``, or flags.

## Source
asc-devkit: TBuf, differences from TQue.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.model import QueueEvent
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for event in instance.of(QueueEvent):
            if event.queue is not None and event.queue.is_buffer and event.op in ("EnQue", "DeQue"):
                yield RULE.finding(
                    event.site,
                    f"{event.op} on {event.queue.name}, a TBuf: it has no events, nothing is waited for. Use a "
                    "TQue or flags",
                    facts={"buffer": event.queue.name, "op": event.op},
                )


RULE = Rule("ASC-QUE004", "tbuf-in-a-queue", Severity.ERROR, check)
