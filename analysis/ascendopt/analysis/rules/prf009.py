"""A loop over the elements of a tensor with GetValue and SetValue.

## What it says
``GetValue`` or ``SetValue`` on a local tensor stands in a loop and its index grows with the loop.

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

from ascendopt.analysis.facts.model import LoopStep, ScalarAccess
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

FEW = 8


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for access in instance.of(ScalarAccess):
            finding = _check_access(context, access)
            if finding is not None:
                yield finding


def _check_access(context: Context, access: ScalarAccess) -> Finding | None:
    if access.receiver is None or access.receiver.memory != "local" or access.index is None:
        return None
    step = _driving_loop(access)
    if step is None:
        return None
    trip = context.number(step.trip)
    if trip is not None and trip <= FEW:
        return None
    count = f"{trip} elements" if trip is not None else "every element"
    return RULE.finding(
        access.site,
        f"{access.name} for each of {count} of {access.receiver.name}: the scalar unit takes one element at a time "
        "(about 34 cycles for c = a + b). Use a vector call over the whole tile",
        facts={"elements": trip, "tensor": access.receiver.name, "api": access.name},
        related=context.host_side(step.trip) if trip is not None else (),
        case=context.case_of(step.trip) if trip is not None else None,
    )


def _driving_loop(access: ScalarAccess) -> LoopStep | None:
    """The innermost loop whose variable moves the index."""
    symbols = access.index.symbols() if access.index is not None else frozenset[str]()
    for step in reversed(access.loops):
        if step.loop.loop_symbol in symbols:
            return step
    return None


RULE = Rule("ASC-PRF009", "element-loop", Severity.PERF, check)
