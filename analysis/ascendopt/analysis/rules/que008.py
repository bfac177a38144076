"""One TPipe in a kernel.

## What it says
Two ``TPipe`` objects are alive in one run of a kernel.

## Why
Each ``TPipe`` hands out addresses from the start of UB. Two of them give the same bytes to different buffers.

## Example
```cpp
TPipe pipe;
TPipe second;  // its buffers lie on top of the first one's
```

## Instead
Create one in the entry function and pass a pointer; call ``Destroy`` before another one takes over.

## Source
asc-devkit: TPipe, introduction.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.model import PipeEvent
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        alive: PipeEvent | None = None
        for event in instance.of(PipeEvent):
            if event.op == "Destroy":
                alive = None
            elif event.op == "create":
                if alive is not None and event.path[: len(alive.path)] == alive.path:
                    yield _finding(alive, event)
                    break
                alive = event


def _finding(first: PipeEvent, second: PipeEvent) -> Finding:
    names = [event.pipe.name if event.pipe else "a TPipe" for event in (first, second)]
    return RULE.finding(
        second.site,
        f"{names[1]} is a second TPipe while {names[0]} is alive: their buffers get the same addresses. Share one by "
        "pointer",
        facts={"first": names[0], "second": names[1]},
        related=(Related(first.site.path, first.site.span, "the first TPipe"),),
    )


RULE = Rule("ASC-QUE008", "one-tpipe", Severity.ERROR, check)
