"""A loop over the elements of a tensor with GetValue and SetValue.

## What it says
A loop takes a local tensor element by element with ``GetValue`` and ``SetValue``, and does nothing else. Loops over
rows, whose body works on the row with vector calls or copies, and loops that only read indices are left alone.

## Why
The scalar unit does one element at a time: about 34 cycles for ``c = a + b``, measured, where the vector unit
does 128 halves in one. The documented example takes 1.2 s against 6.9 ms.

## Example
```cpp
for (uint32_t i = 0; i < n; ++i) {
    y.SetValue(i, x.GetValue(i) + 1.0f);
}
```

## Instead
```cpp
Adds(y, x, 1.0f, n);
```

## Source
asc-devkit: SetValue, constraints; vector computation example.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall, LoopNode, LoopStep, ScalarAccess, ScalarMath
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.values import Value, substitute, symbol

FEW = 8


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        loops: dict[int, tuple[LoopStep, list[ScalarAccess]]] = {}
        for access in instance.of(ScalarAccess):
            step = _driving_loop(context, access)
            if step is not None:
                loops.setdefault(id(step.loop), (step, []))[1].append(access)
        busy = _with_calls(instance) if loops else set[int]()
        computing = _with_math(instance) if loops else set[int]()
        for key, (step, accesses) in loops.items():
            writes = any(access.name == "SetValue" for access in accesses)
            if key not in busy and (writes or key in computing):
                finding = _finding(context, step, accesses)
                if finding is not None:
                    yield finding


def _finding(context: Context, step: LoopStep, accesses: list[ScalarAccess]) -> Finding | None:
    trip = context.number(step.trip)
    first = accesses[0]
    if first.receiver is None or (trip is not None and trip <= FEW):
        return None
    count = f"{trip} elements" if trip is not None else "every element"
    return RULE.finding(
        first.site,
        f"{first.name} for each of {count} of {first.receiver.name}: the scalar unit takes one element at a time "
        "(about 34 cycles for c = a + b). Use a vector call over the whole tile",
        facts={"elements": trip, "tensor": first.receiver.name, "api": first.name, "calls": len(accesses)},
        related=context.host_side(step.trip) if trip is not None else (),
        case=context.case_of(step.trip) if trip is not None else None,
    )


def _driving_loop(context: Context, access: ScalarAccess) -> LoopStep | None:
    """The innermost loop around an access to a local tensor, where the index moves by one element in each round."""
    step = access.loops[-1] if access.loops else None
    if step is None or access.receiver is None or access.receiver.memory != "local" or access.index is None:
        return None
    return step if _moves_by_one(context, step.loop, access.index) else None


def _moves_by_one(context: Context, loop: LoopNode, index: Value) -> bool:
    by = context.number(loop.step)
    if by is None or not loop.loop_symbol or loop.loop_symbol not in index.symbols():
        return False
    after = substitute(index, {loop.loop_symbol: symbol(loop.loop_symbol) + by})
    moved = (after - index).constant() if after is not None else None
    return moved is not None and abs(moved) == 1


def _with_calls(instance: Instance) -> set[int]:
    """The loops with something else in them than scalar accesses."""
    calls = (call for call in instance.of(ApiCall) if not isinstance(call, ScalarAccess))
    return {id(step.loop) for call in calls for step in call.loops}


def _with_math(instance: Instance) -> set[int]:
    """The loops that calculate with what GetValue gave."""
    return {id(step.loop) for event in instance.of(ScalarMath) for step in event.loops}


RULE = Rule("ASC-PRF009", "element-loop", Severity.PERF, check)
