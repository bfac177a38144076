"""Gather counts bytes.

## What it says
A ``Gather`` takes offsets that were made as consecutive numbers.

## Why
Offsets are bytes from the start of the source, multiples of the element size: numbers of elements shift the data
without any fault.

## Example
```cpp
CreateVecIndex(index, 0, n); Gather(y, x, index.ReinterpretCast<uint32_t>(), 0, n);  // float
```

## Instead
Multiply by ``sizeof(T)``.

## Source
asc-devkit: Gather, constraints, srcOffset.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.model import ApiCall, ScalarAccess
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.rule import Context, Rule

INDICES = frozenset({"CreateVecIndex", "ArithProgression", "Arange"})
GATHERS = frozenset({"Gather", "Scatter"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        made: dict[int, ApiCall] = {}
        for call in instance.of(ApiCall):
            target = call.args[0].tensor if call.args else None
            if call.name in GATHERS and len(call.args) > 2 and target is not None:
                offsets = call.args[2].tensor
                source = made.get(offsets.handle) if offsets is not None and offsets.handle is not None else None
                each = target.element_bytes.constant()
                if source is not None and each is not None and each > 1:
                    yield RULE.finding(
                        call.site,
                        f"{call.name} takes {call.args[2].text} as byte offsets, and {source.name} fills it with "
                        "numbers of "
                        f"elements. Multiply by sizeof({target.element}) = {each}",
                        facts={"api": call.name, "element_bytes": each},
                        related=(Related(source.site.path, source.site.span, "filled here"),),
                    )
            if target is not None and target.handle is not None:
                if call.name in INDICES and _is_consecutive(context, call):
                    made[target.handle] = call
                elif not isinstance(call, ScalarAccess):
                    made.pop(target.handle, None)


def _is_consecutive(context: Context, call: ApiCall) -> bool:
    if call.name == "CreateVecIndex":
        return True
    return len(call.args) > 2 and context.number(call.args[2].value) == 1


RULE = Rule("ASC-ALN012", "gather-offsets-are-bytes", Severity.ERROR, check)
