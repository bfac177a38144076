"""Copies to one place need a barrier.

## What it says
Two copies to UB, or two copies to GM, write ranges that overlap, with no barrier in between.

## Why
Copies of one engine may finish in another order: which one wins is not defined.

## Example
```cpp
DataCopy(x, aGm, 128); DataCopy(x[64], bGm, 128);
```

## Instead
Put ``PipeBarrier<PIPE_MTE2>()`` (``PIPE_MTE3`` for stores) in between, or write disjoint ranges.

## Source
asc-devkit: DataCopy (continuous copy between GM and UB), constraints, item 3.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import TensorFact
from ascendopt.analysis.facts.events import BarrierEvent, CopyEvent, FlagEvent, QueueEvent
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.repair import before as insert_before
from ascendopt.analysis.rules.repair import namespace
from ascendopt.analysis.rules.rule import Context, Rule

ORDERS = frozenset({"PIPE_ALL", "PIPE_MTE2", "PIPE_MTE3"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        row: list[CopyEvent] = []
        for event in instance.events():
            ordered = isinstance(event, BarrierEvent) and event.pipe in ORDERS
            if ordered or isinstance(event, QueueEvent | FlagEvent) or (row and event.path != row[-1].path):
                row = []
            if not isinstance(event, CopyEvent) or event.direction not in ("in", "out"):
                continue
            before = next((one for one in row if _overlap(context, one, event)), None)
            if before is not None:
                pipe = "PIPE_MTE2" if event.direction == "in" else "PIPE_MTE3"
                yield RULE.finding(
                    event.site,
                    f"{event.name} writes to {event.args[0].text} right behind a copy to the same place: which one "
                    "wins is not "
                    f"defined. Put PipeBarrier<{pipe}>() in between",
                    facts={"operand": event.args[0].text, "pipe": pipe},
                    related=(Related(before.site.path, before.site.span, "the copy before it"),),
                    fix=insert_before(
                        event.site, "keep the copies apart", f"{namespace(event)}PipeBarrier<{pipe}>();", safe=True
                    ),
                )
            row.append(event)


def _overlap(context: Context, left: CopyEvent, right: CopyEvent) -> bool:
    one, other = left.args[0].tensor, right.args[0].tensor
    if left.direction != right.direction or one is None or other is None or not _same_buffer(one, other):
        return False
    starts = [context.number(tensor.offset) for tensor in (one, other)]
    sizes = [context.number(copy.bytes) if copy.count is not None else None for copy in (left, right)]
    if None in starts or None in sizes:
        return False
    (a, b), (n, m) = (value or 0 for value in starts), (value or 0 for value in sizes)
    return a < b + m and b < a + n


def _same_buffer(one: TensorFact, other: TensorFact) -> bool:
    if one.memory == "global":
        return one.origin is not None and one.origin == other.origin
    return one.handle is not None and one.handle == other.handle


RULE = Rule("ASC-OVL005", "overlapping-copies", Severity.ERROR, check)
