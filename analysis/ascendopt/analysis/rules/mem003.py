"""At most 64 buffers in a kernel.

## What it says
More than 64 buffers are taken with ``InitBuffer``, counted over all queues (``num`` each) and ``TBuf`` objects
and over the iterations of a loop around the call.

## Why
The buffer table of a ``TPipe`` has 64 entries. Taking more overwrites the table; buffers are not given back
when a queue is initialised again.

## Example
```cpp
for (uint32_t i = 0; i < 80; ++i) {
    pipe.InitBuffer(xQueue, 1, 1024);  // 80 buffers
}
```

## Instead
Initialise each queue once, before the loop. Share one ``TBuf`` and take slices of it.

## Source
asc-devkit: InitBuffer, constraints; kernel_macros.h (QBUF_MAX_LEN).
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ArmStep, BranchNode, CallNode, InitBufferEvent, LoopNode, Node, PipeEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.values import equality

LIMIT = 64


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        if any(event.op in ("Reset", "Destroy") for event in instance.of(PipeEvent)):
            continue
        most = _Most(context)
        most.run(instance.body, 0, 1)
        if most.finding is not None:
            yield most.finding
        else:
            yield from _without_end(context, instance)


def _without_end(context: Context, instance: Instance) -> Iterator[Finding]:
    """InitBuffer in a loop whose number of rounds nobody knows: it takes another buffer in each."""
    # A TPipe that is made in the loop gives everything back with its round.
    born = {step for pipe in instance.of(PipeEvent) if pipe.op == "create" for step in pipe.loops}
    for event in instance.of(InitBufferEvent):
        plain = event.queue is not None and event.queue.count == 1
        unknown = [step for step in event.loops if context.number(step.trip) is None]
        arms = any(isinstance(step, ArmStep) for step in event.path)
        if plain and unknown and not arms and event.is_certain and not any(step in born for step in unknown):
            yield RULE.finding(
                event.site,
                f"InitBuffer of {event.queue_text} runs in each round of a loop, and UB is not given back between "
                f"calls: each round takes other {event.num.text} x {event.length_text} bytes, and a kernel has {LIMIT} "
                "buffers. Initialise each queue once, before the loop",
                facts={"buffers": None, "limit": LIMIT, "iterations": None},
                severity=Severity.WARNING,
            )


class _Most:
    """Counts buffers along the program: of the arms of a branch only one runs."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.finding: Finding | None = None

    def run(self, nodes: tuple[Node, ...], running: int, trips: int) -> int:
        """The number of buffers after ``nodes``, which run ``trips`` times, when there were ``running`` before."""
        cases: dict[str, int] = {}
        for node in nodes:
            if isinstance(node, InitBufferEvent):
                running += (self.context.number(node.num) or 0) * trips
                if running > LIMIT and self.finding is None:
                    self.finding = _finding(self.context, node, running, trips)
            elif isinstance(node, BranchNode):
                running = self._branch(node, running, trips, cases)
            elif isinstance(node, LoopNode):
                running = self.run(node.body, running, trips * (self.context.number(node.trip) or 1))
            elif isinstance(node, CallNode):
                running = self.run(node.body, running, trips)
        return running

    def _branch(self, node: BranchNode, running: int, trips: int, cases: dict[str, int]) -> int:
        """Of ``if (key == 1) {..} if (key == 2) {..}`` one arm runs; ``cases`` is what the others of a key add."""
        said = equality(node.conditions[0] if node.conditions else None)
        if said is not None:
            running -= cases.get(said[0], 0)
        most = max((self.run(arm, running, trips) for arm in node.arms), default=running)
        if said is None:
            return most
        cases[said[0]] = max(cases.get(said[0], 0), most - running)
        return running + cases[said[0]]


def _finding(context: Context, event: InitBufferEvent, running: int, trips: int) -> Finding:
    where = f"InitBuffer runs {trips} times inside the loop: " if trips > 1 else ""
    return RULE.finding(
        event.site,
        f"{where}{running} buffers, limit of {LIMIT} buffers per kernel; "
        "UB is not given back between calls. Initialise each queue once, before the loop",
        facts={"buffers": running, "limit": LIMIT, "iterations": trips},
        related=context.host_side(event.num, *(step.trip for step in event.loops)),
        case=context.case_of(event.num, *(step.trip for step in event.loops)),
    )


RULE = Rule("ASC-MEM003", "too-many-buffers", Severity.ERROR, check)
