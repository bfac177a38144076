"""Double buffering is a number of buffers, not a depth.

## What it says
A queue has depth 2 or more and is never enqueued twice in a row.

## Why
The depth is how many tensors wait in the queue at once. With 1 the compiler has a fast path; two buffers overlap
copies with work whatever the depth is.

## Example
```cpp
TQue<TPosition::VECIN, 2> xQueue;  // one EnQue, one DeQue per tile
```

## Instead
Write depth 1 and keep ``InitBuffer(xQueue, 2, ..)``.

## Source
asc-devkit: TQue, table 1, depth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ascendopt.analysis.facts.declared import QueueFact
from ascendopt.analysis.facts.events import QueueEvent
from ascendopt.analysis.facts.model import Instance, KernelModel
from ascendopt.analysis.findings import Finding, Fix, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule, more_places


@dataclass(frozen=True)
class _Use:
    """How many tensors a queue holds at most in one run, as far as that is seen, and whether that is certain: what
    comes in is taken out in the same round of the same loops, under no further condition."""

    queue: QueueFact
    most: int
    is_certain: bool


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for queues in _deep(context, _uses(instance)).values():
            yield _finding(context, queues)


def _deep(context: Context, uses: Iterable[_Use]) -> dict[tuple[object, str], list[QueueFact]]:
    """The queues of each class that are deeper than any of the uses needs."""
    most: dict[QueueFact, int] = {}
    for use in uses:
        most[use.queue] = max(most.get(use.queue, 0), use.most)
    deep: dict[tuple[object, str], list[QueueFact]] = {}
    for queue in sorted(most, key=lambda queue: queue.site.span):
        depth = context.number(queue.depth)
        if depth is not None and depth >= 2 and most[queue] < 2 and queue.count == 1:
            deep.setdefault((queue.site.path, queue.owner), []).append(queue)
    return deep


def _uses(instance: Instance) -> tuple[_Use, ...]:
    return instance.derived("queue uses", lambda: tuple(_walk(instance))) if instance.complete else ()


def _walk(instance: Instance) -> Iterator[_Use]:
    waiting: dict[QueueFact, list[QueueEvent]] = {}
    most: dict[QueueFact, int] = {}
    loose: set[QueueFact] = set()
    for event in instance.of(QueueEvent):
        queue = event.queue
        if queue is None or queue.is_buffer:
            continue
        line = waiting.setdefault(queue, [])
        if event.op == "EnQue":
            line.append(event)
            most[queue] = max(most.get(queue, 0), len(line))
        elif event.op == "DeQue":
            if not all(_follows(event, before) for before in line):
                loose.add(queue)
            line.clear()
    yield from (_Use(queue, highest, queue not in loose and not waiting[queue]) for queue, highest in most.items())


def _follows(taken: QueueEvent, put: QueueEvent) -> bool:
    """True when one is taken out whenever one is put in."""
    return taken.loops == put.loops and all(step in put.path for step in taken.path)


def _finding(context: Context, queues: list[QueueFact]) -> Finding:
    """One finding for the queues of a class, at the first."""
    first, *others = queues
    depth = context.number(first.depth)
    said = f"{first.name} has depth {depth} and holds"
    if others:
        said = f"{first.name} and {', '.join(queue.name for queue in others)} have depth {depth} or more and hold"
    return RULE.finding(
        first.site,
        f"{said} one tensor at a time. Depth 1 is faster; the number of buffers is that of InitBuffer",
        facts={"queue": first.name, "depth": depth, "queues": len(queues)},
        related=more_places(one.site for one in others),
        fix=_fix(context, first),
    )


def _fix(context: Context, first: QueueFact) -> Fix | None:
    """Depth 1 for all queues of the class that no run needs deeper; safe where each run surely takes out what it puts
    in."""
    kernel = context.facts.kernel if context.facts is not None else context.kernel
    if not all(instance.complete for instance in kernel.instances):
        return None
    uses = _uses_of_class(kernel, first)
    queues = _deep(context, uses).get((first.site.path, first.owner), [])
    if first not in queues:
        return None
    safe = all(use.is_certain for use in uses if use.queue in queues)
    return edits.fix("depth 1", *(edits.depth(queue, 1, queues) for queue in queues), safe=safe)


def _uses_of_class(kernel: KernelModel, member: QueueFact) -> Sequence[_Use]:
    """What all runs do with the queues of the class that ``member`` belongs to."""
    tables = kernel.derived("queue uses by class", lambda: (_by_class(kernel.instances),))
    return tables[0].get((member.site.path, member.owner), ())


def _by_class(instances: Iterable[Instance]) -> dict[tuple[object, str], list[_Use]]:
    table: dict[tuple[object, str], list[_Use]] = {}
    for use in (use for instance in instances for use in _uses(instance)):
        table.setdefault((use.queue.site.path, use.queue.owner), []).append(use)
    return table


RULE = Rule("ASC-QUE006", "depth-without-burst", Severity.PERF, check)
