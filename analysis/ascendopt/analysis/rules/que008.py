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

from ascendopt.analysis.facts.declared import PipeFact
from ascendopt.analysis.facts.events import InitBufferEvent, PipeEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        finding = _first_clash(instance)
        if finding is not None:
            yield finding


def _first_clash(instance: Instance) -> Finding | None:
    created: dict[PipeFact, PipeEvent] = {}
    used: set[PipeFact] = set()
    for event in instance.events():
        if isinstance(event, InitBufferEvent) and event.pipe is not None:
            other = next((pipe for pipe in used if pipe != event.pipe and pipe in created), None)
            if other is not None and event.pipe in created:
                clash = sorted((created[other], created[event.pipe]), key=lambda one: one.order)
                if _both_run(*clash):
                    return _finding(*clash)
            used.add(event.pipe)
        elif isinstance(event, PipeEvent) and event.pipe is not None:
            if event.op == "create":
                before = next((one for one in created.values() if _in_one_function(one, event)), None)
                if before is not None and _both_run(before, event):
                    return _finding(before, event, both_used=_takes_buffers(instance, before))
                created[event.pipe] = event
            else:
                used.discard(event.pipe)
                if event.op != "Reset":
                    created.pop(event.pipe, None)
    return None


def _in_one_function(first: PipeEvent, second: PipeEvent) -> bool:
    """Two local variables side by side: the second one starts over, used or not."""
    pipes = (first.pipe, second.pipe)
    return all(pipe is not None and pipe.where == "local" for pipe in pipes) and first.calls == second.calls


def _takes_buffers(instance: Instance, created: PipeEvent) -> bool:
    return any(init.pipe == created.pipe for init in instance.of(InitBufferEvent))


def _both_run(first: PipeEvent, second: PipeEvent) -> bool:
    return second.path[: len(first.path)] == first.path


def _finding(first: PipeEvent, second: PipeEvent, *, both_used: bool = True) -> Finding:
    names = [event.pipe.name if event.pipe else "a TPipe" for event in (first, second)]
    return RULE.finding(
        second.site,
        f"{names[1]} is a second TPipe while {names[0]} is alive: "
        + (
            "their buffers get the same addresses"
            if both_used
            else "it takes the event ids that the first one gave out"
        )
        + ". Share one by pointer",
        facts={"first": names[0], "second": names[1]},
        related=(Related(first.site.path, first.site.span, "the first TPipe"),),
        severity=None if both_used else Severity.WARNING,
    )


RULE = Rule("ASC-QUE008", "one-tpipe", Severity.ERROR, check)
