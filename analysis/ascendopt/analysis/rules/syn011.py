"""Small products that add up need a barrier of the cube unit.

## What it says
Two ``Mmad`` follow each other on one result of fewer than ten fractals, with no ``PipeBarrier<PIPE_M>``.

## Why
A small product reads the sum before the one before has written it.

## Example
```cpp
Mmad(c, a, b, {16, 16, 16}); Mmad(c, a2, b2, {16, 16, 16});
```

## Instead
Put ``PipeBarrier<PIPE_M>()`` in between; from ten fractals on it is not needed.

## Source
asc-devkit: Mmad, synchronisation.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import (
    ApiCall,
    BarrierEvent,
    BufferGetEvent,
    ExitEvent,
    FlagEvent,
    LoopStep,
    QueueEvent,
)
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.repair import before as insert_before
from ascendopt.analysis.rules.repair import namespace
from ascendopt.analysis.rules.rule import Context, Rule

FRACTAL = 16
ENOUGH = 10


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        before: ApiCall | None = None
        for call in instance.of(ApiCall):
            if isinstance(call, BarrierEvent):
                before = None
            if call.name != "Mmad" or not call.args or call.args[-1].struct != "MmadParams":
                continue
            sizes = [context.number(call.args[-1].field(name)) for name in ("m", "n")]
            small = None not in sizes and _fractals(*(size or 0 for size in sizes)) < ENOUGH
            if before is not None and small and before.path == call.path and _same(before, call):
                yield _finding(before, call, sizes)
            before = call
            if small and _repeats(instance, call):
                yield _finding(call, call, sizes)


def _finding(before: ApiCall, call: ApiCall, sizes: list[int | None]) -> Finding:
    one = "that of the round before" if before is call else "another one"
    return RULE.finding(
        call.site,
        f"Mmad adds to {call.args[0].text} right after {one}: {sizes[0]} x {sizes[1]} is fewer than {ENOUGH} fractals, "
        "so that it reads the sum too early. Put PipeBarrier<PIPE_M>() in between",
        facts={"m": sizes[0], "n": sizes[1], "threshold": ENOUGH},
        related=(Related(before.site.path, before.site.span, "the one before"),),
        fix=insert_before(
            call.site, "let the sum be written first", f"{namespace(call)}PipeBarrier<PIPE_M>();", safe=True
        ),
    )


def _repeats(instance: Instance, call: ApiCall) -> bool:
    """True for a loop in which nothing waits, and every round of which adds to one sum by this one call."""
    target = call.args[0].tensor
    if not call.path or not isinstance(call.path[-1], LoopStep) or target is None or target.handle is None:
        return False
    loop = call.path[-1].loop
    initial = call.args[-1].field("cmatrixInitVal")
    starts_anew = initial is None or (initial.is_constant and initial.constant() != 0)
    if starts_anew or target.offset is None or loop.loop_symbol in target.offset.symbols():
        return False
    inside = [event for event in instance.events() if any(step.loop is loop for step in event.loops)]
    waits = (BarrierEvent, FlagEvent, QueueEvent, BufferGetEvent, ExitEvent)
    others = [event for event in inside if isinstance(event, ApiCall) and event.name in ("Mmad", "LoadData")]
    return others == [call] and not any(isinstance(event, waits) for event in inside)


def _fractals(m: int, n: int) -> int:
    return -(-m // FRACTAL) * -(-n // FRACTAL)


def _same(left: ApiCall, right: ApiCall) -> bool:
    one, other = left.args[0].tensor, right.args[0].tensor
    return one is not None and other is not None and one.handle == other.handle and one.offset == other.offset


RULE = Rule(
    "ASC-SYN011", "mmad-accumulation-barrier", Severity.ERROR, check, families=frozenset({"A2", "A3", "310B", "950"})
)
