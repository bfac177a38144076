"""A queue holds no more tensors than its depth.

## What it says
A queue is enqueued more often in a row than its depth.

## Why
The queue overflows: the tensor that waited longest is lost, or the kernel asserts.

## Example
```cpp
q.EnQue(a); q.EnQue(b);  // TQue<.., 1>
```

## Instead
Raise the depth, or dequeue in between.

## Source
asc-devkit: TQue, table 1, depth.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import QueueFact
from ascendopt.analysis.facts.events import LoopStep, QueueEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        if not instance.complete:
            continue
        waiting: dict[QueueFact, list[QueueEvent]] = {}
        for event in instance.of(QueueEvent):
            queue = event.queue
            if queue is None or queue.is_buffer or queue.count != 1:
                continue
            line = waiting.setdefault(queue, [])
            if event.op == "DeQue":
                line.clear()
            if event.op != "EnQue":
                continue
            # Only calls that surely follow each other count: the same loops and branches around both.
            line[:] = [before for before in line if before.path == event.path]
            line.append(event)
            depth = context.number(queue.depth)
            if depth and len(line) > depth:
                yield RULE.finding(
                    event.site,
                    f"{queue.name} is enqueued {len(line)} times in a row and has depth {depth}. Dequeue in "
                    "between, or "
                    f"declare depth {len(line)}",
                    facts={"queue": queue.name, "depth": depth, "enqueued": len(line)},
                    fix=edits.fix(f"depth {len(line)}", edits.depth(queue, len(line)), safe=False),
                    related=(Related(line[0].site.path, line[0].site.span, "the first one"),),
                )
                line.clear()
            elif depth:
                yield from _in_a_loop(context, instance, event, queue, depth)


def _in_a_loop(
    context: Context, instance: Instance, event: QueueEvent, queue: QueueFact, depth: int
) -> Iterator[Finding]:
    """EnQue in a loop of more rounds than the depth that takes nothing out."""
    last = event.path[-1] if event.path else None
    rounds = context.number(last.trip) if isinstance(last, LoopStep) else None
    if last is None or rounds is None or rounds <= depth:
        return
    taken = (one for one in instance.of(QueueEvent) if one.queue == queue and one.op == "DeQue")
    if not any(last in one.path for one in taken):
        yield RULE.finding(
            event.site,
            f"{queue.name} is enqueued {rounds} times in a row, in a loop that takes nothing out, and has depth "
            f"{depth}. Dequeue in between, or declare depth {rounds}",
            facts={"queue": queue.name, "depth": depth, "enqueued": rounds},
            fix=edits.fix(f"depth {rounds}", edits.depth(queue, rounds), safe=False),
        )


RULE = Rule("ASC-QUE007", "enque-beyond-depth", Severity.ERROR, check)
