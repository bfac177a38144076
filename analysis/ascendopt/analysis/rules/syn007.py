"""PipeBarrier<PIPE_ALL> in a loop.

## What it says
A barrier over all pipes stands in a loop of the kernel.

## Why
Every pipe waits for every other one in each iteration: copies and computation no longer overlap, and double
buffering brings nothing.

## Example
```cpp
for (uint32_t i = 0; i < tiles; ++i) {
    CopyIn(i);
    PipeBarrier<PIPE_ALL>();
    Compute();
}
```

## Instead
Queues already order copies and computation through ``EnQue`` and ``DeQue``. Where tensors do not come from a
queue, use ``SetFlag``/``WaitFlag`` between the two pipes concerned.

## Source
asc-devkit: PipeBarrier, constraints, item 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ascendopt.analysis.facts.events import BarrierEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.ordering import races
from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Fix, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.repair import removed
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for barrier in _barriers(instance):
            yield RULE.finding(
                barrier.site,
                "PipeBarrier<PIPE_ALL> in a loop makes every pipe wait for every other one in each iteration: "
                "copies and computation do not overlap. Let the queues order them, or set and wait for the one "
                "event that is needed",
                facts={"pipe": barrier.pipe, "loop_depth": len(barrier.loops)},
                fix=_fix(barrier) if any(barrier is one for one in _idle(instance)) else None,
            )


def _barriers(instance: Instance) -> list[BarrierEvent]:
    return [barrier for barrier in instance.of(BarrierEvent) if barrier.pipe == "PIPE_ALL" and barrier.in_loop]


def _fix(barrier: BarrierEvent) -> Fix | None:
    """Unsafe, because what one round leaves to the next is not looked at."""
    return edits.fix("remove the barrier", removed(barrier.site), safe=False, of_run=True)


def _idle(instance: Instance) -> tuple[BarrierEvent, ...]:
    """The barriers without which no access is seen to run into another one."""
    return instance.derived("idle barriers", lambda: tuple(_without_races(instance)))


def _without_races(instance: Instance) -> Iterator[BarrierEvent]:
    barriers = _barriers(instance)
    left_out = {id(barrier) for barrier in barriers}
    rest = tuple(event for event in instance.events() if id(event) not in left_out)
    bare = replace(instance, body=rest)
    bare.derived("readings", lambda: tuple(readings(instance)))  # the calls are the same ones
    known = {(id(race.before.event), id(race.after.event)) for race in races(instance)}
    new = [race for race in races(bare) if (id(race.before.event), id(race.after.event)) not in known]
    for barrier in barriers:
        if not any(race.before.event.order < barrier.order < race.after.event.order for race in new):
            yield barrier


RULE = Rule("ASC-SYN007", "barrier-all-in-loop", Severity.PERF, check)
