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

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ascendopt.analysis.facts.declared import TensorFact
from ascendopt.analysis.facts.events import ApiCall, ScalarAccess
from ascendopt.analysis.findings import Finding, Fix, Related, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.repair import after, namespace
from ascendopt.analysis.rules.rule import Context, Rule

INDICES = frozenset({"CreateVecIndex", "ArithProgression", "Arange"})
STEPPING = frozenset({"Adds", "Muls"})
GATHERS = frozenset({"Gather", "Scatter"})


@dataclass(frozen=True)
class Filled:
    """A tensor of indices: the call that made them, and how far two neighbours are apart."""

    call: ApiCall
    step: int


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        made: dict[int, Filled] = {}
        calls = instance.of(ApiCall)
        for call in calls:
            target = call.args[0].tensor if call.args else None
            if call.name in GATHERS and len(call.args) > 2 and target is not None:
                offsets = call.args[2].tensor
                source = made.get(offsets.handle) if offsets is not None and offsets.handle is not None else None
                each = target.element_bytes.constant()
                if source is not None and each is not None and source.step % each:
                    yield _finding(calls, call, source, target, each)
            if target is not None and target.handle is not None and not isinstance(call, ScalarAccess):
                filled = _filled(context, call, made)
                if filled is None:
                    made.pop(target.handle, None)
                else:
                    made[target.handle] = filled


def _filled(context: Context, call: ApiCall, made: Mapping[int, Filled]) -> Filled | None:
    """What the target of ``call`` holds then: numbers a known step apart, or others (None)."""
    if call.name in INDICES:
        step = 1 if call.name == "CreateVecIndex" else None
        if step is None and len(call.args) > 2:
            step = context.number(call.args[2].value)
        return Filled(call, step) if step else None
    source = call.args[1].tensor if len(call.args) > 2 else None
    before = made.get(source.handle) if source is not None and source.handle is not None else None
    if before is None or call.name not in STEPPING:
        return None
    by = context.number(call.args[2].value) if len(call.args) > 2 else None
    if call.name == "Adds":
        return before
    return Filled(before.call, before.step * by) if by else None


def _finding(calls: list[ApiCall], call: ApiCall, source: Filled, target: TensorFact, each: int) -> Finding:
    filler = source.call
    are = "numbers of elements" if abs(source.step) == 1 else f"numbers that are {abs(source.step)} apart"
    return RULE.finding(
        call.site,
        f"{call.name} takes {call.args[2].text} as byte offsets, and {filler.name} fills it with {are}. "
        f"Multiply by sizeof({target.element}) = {each}",
        facts={"api": call.name, "element_bytes": each},
        related=(Related(filler.site.path, filler.site.span, "filled here"),),
        fix=_fix(calls, filler, target) if source.step == 1 else None,
    )


def _fix(calls: list[ApiCall], made: ApiCall, target: TensorFact) -> Fix | None:
    """The indices in bytes from the start, where nothing but calls that want bytes reads them."""
    index = made.args[0].tensor
    if index is None or index.element not in ("int32_t", "uint32_t") or len(made.args) < 3:
        return None
    users = [one for one in calls if one is not made and any(_is_same(index, a.tensor) for a in one.args)]
    if any(one.name not in GATHERS or one.args[0].tensor is None for one in users):
        return None
    if any(one.args[0].tensor.element != target.element for one in users if one.args[0].tensor is not None):
        return None
    each = f"static_cast<{index.element}>(sizeof({target.element}))"
    first, name = made.args[1].text.strip(), made.args[0].text
    if made.name != "CreateVecIndex":
        start = first if first == "0" else edits.times(first, each)
        places = (edits.argument(made, made.args[1], start), edits.argument(made, made.args[2], each))
        return edits.fix("count bytes", *places, safe=False, of_run=True)
    if index.element != "int32_t":
        return None
    scaled = f"{namespace(made)}Muls({name}, {name}, {each}, {made.args[2].text})"
    return edits.fix("count bytes", after(made.site, scaled), safe=False, of_run=True)


def _is_same(index: TensorFact, other: TensorFact | None) -> bool:
    return other is not None and other.handle == index.handle


RULE = Rule("ASC-ALN012", "gather-offsets-are-bytes", Severity.ERROR, check)
