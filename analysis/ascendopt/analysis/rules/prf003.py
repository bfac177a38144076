"""A loop of small copies instead of one strided copy.

## What it says
A loop does nothing but one ``DataCopy`` per iteration, at offsets that grow by a constant.

## Why
Every copy is issued by the scalar unit and pays its own latency. One call with ``blockCount`` rows moves the
same bytes.

## Example
```cpp
for (uint32_t r = 0; r < ROWS; ++r) {
    DataCopy(t[r * COLS], xGm[r * PITCH], COLS);
}
```

## Instead
```cpp
DataCopy(t, xGm, {ROWS, COLS * sizeof(float) / 32, (PITCH - COLS) * sizeof(float) / 32, 0});
```

## Source
asc-devkit: use the copy APIs efficiently, right and wrong example.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascendopt.analysis.facts.events import BranchNode, CallNode, CopyEvent, LoopNode, Node
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

_WORD = re.compile(r"\w+")


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for loop, copy in _copy_loops(instance):
            trip = context.number(loop.trip)
            if trip is not None and trip < 2:
                continue
            size = context.number(copy.bytes)
            times = f"{trip} times" if trip is not None else "once per iteration"
            moved = f"{size} bytes" if size is not None else "one row"
            yield RULE.finding(
                copy.site,
                f"{copy.name} of {moved} is issued {times} at offsets that grow with {loop.variable}. One call with "
                "blockCount, blockLen and the gaps moves the same bytes",
                facts={"iterations": trip, "bytes": size, "variable": loop.variable},
                related=context.host_side(loop.trip) if trip is not None else (),
                case=context.case_of(loop.trip) if trip is not None else None,
            )


def _copy_loops(instance: Instance) -> tuple[tuple[LoopNode, CopyEvent], ...]:
    """Loops that do nothing but one copy from or to a place that moves with them."""
    return instance.derived("copy loops", lambda: tuple(_found(instance.body)))


def _found(nodes: tuple[Node, ...]) -> Iterator[tuple[LoopNode, CopyEvent]]:
    for loop in _loops(nodes):
        copy = loop.body[0] if len(loop.body) == 1 else None
        if isinstance(copy, CopyEvent) and copy.direction in ("in", "out") and loop.variable in _words(copy):
            yield loop, copy


def _words(copy: CopyEvent) -> set[str]:
    return {word for argument in copy.args[:2] for word in _WORD.findall(argument.text)}


def _loops(nodes: tuple[Node, ...]) -> Iterator[LoopNode]:
    for node in nodes:
        if isinstance(node, LoopNode):
            yield node
            yield from _loops(node.body)
        elif isinstance(node, BranchNode):
            for arm in node.arms:
                yield from _loops(arm)
        elif isinstance(node, CallNode):
            yield from _loops(node.body)


RULE = Rule("ASC-PRF003", "copy-loop", Severity.PERF, check)
