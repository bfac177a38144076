"""The last core takes what is left, not a full share.

## What it says
The host splits an input into equal shares, rounded up, and the last core of the kernel takes a full share, too. Or
they are rounded down, and no core takes what is left over.

## Why
The shares together are longer than the input, unless its length happens to divide: the last core reads past the end of
global memory, and writes past the end of the output. Shares that are rounded down leave the last elements out.

## Example
```cpp
count = perCore;  // on every core; ceil(total / cores) * cores is more than total
```

## Instead
Clip it: ``count = total - start < perCore ? total - start : perCore``, or let the host pass the length of the tail.

## Source
asc-devkit: tiling of tails between cores; DataCopy, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ascendopt.analysis.facts.declared import TensorFact
from ascendopt.analysis.facts.events import CopyEvent, ScalarAccess, StoreEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.values import Value, evaluate, number, substitute

BLOCK_INDEX = "block_idx"
SIZES = (100_000, 1_000_003, 65_537, 4_097, 1_000)
"""Numbers of elements that are tried; what the host turns down is left out."""


@dataclass(frozen=True)
class _Excess:
    """What the shares of ``blocks`` cores come to, in the shape of ``total`` elements: too much or too little."""

    total: int
    end: int
    blocks: int
    share: Value

    @property
    def is_short(self) -> bool:
        """True when elements are left over."""
        return self.end < self.total


def check(context: Context) -> Iterator[Finding]:
    facts = context.facts
    if facts is None or facts.tiling is None or context.case is not None:
        return
    for instance in context.instances():
        for copy in instance.of(CopyEvent):
            tensor = copy.args[1].tensor if copy.direction == "in" and copy.is_certain else None
            found = _excess(context, instance, copy, tensor) if tensor is not None else None
            if found is not None and tensor is not None:
                yield (
                    _left_over(context, copy, tensor, found)
                    if found.is_short
                    else _finding(instance, copy, tensor, found)
                )
                break


def _excess(context: Context, instance: Instance, copy: CopyEvent, tensor: TensorFact) -> _Excess | None:
    size = _input_size(context, instance, tensor)
    each = tensor.element_bytes.constant()
    if size is None or not each or tensor.offset is None or copy.bytes is None or context.facts is None:
        return None
    if BLOCK_INDEX not in tensor.offset.symbols() or len(copy.loops) != len(copy.path):
        return None
    one, two = (substitute(tensor.offset, {BLOCK_INDEX: number(core)}) for core in (0, 1))
    if one is None or two is None:
        return None
    share = two - one
    is_part = size in context.linked(share).symbols()  # else the shape is what the shares come to
    for total in SIZES:
        known = _sample(context, size, total)
        blocks = _blocks(context, known) if known is not None else None
        if known is None or blocks is None or blocks < 2:
            continue
        end = _end(context, copy, tensor.offset, {**known, BLOCK_INDEX: blocks - 1})
        length = evaluate(context.linked(share), known)
        # A share more would be another fault: what is looked for is the end of a last, full share.
        if end is None or not length or end != blocks * length:
            continue
        is_over = total * each < end < total * each + length
        is_short = is_part and total * each - length < end < total * each
        if is_over or (is_short and _is_alone(instance, copy, tensor)):
            return _Excess(total, end // each, blocks, share)
    return None


def _is_alone(instance: Instance, copy: CopyEvent, tensor: TensorFact) -> bool:
    """True when nothing else reads the input: no other copy can be for what is left over."""
    others = (other.args[1].tensor for other in instance.of(CopyEvent) if other is not copy and len(other.args) > 1)
    reads = (other for other in others if other is not None and other.memory == "global")
    scalars = (access.receiver for access in instance.of(ScalarAccess))
    return instance.complete and all(
        one.origin is not None and one.origin != tensor.origin
        for one in (*reads, *(one for one in scalars if one is not None and one.memory == "global"))
    )


def _input_size(context: Context, instance: Instance, tensor: TensorFact) -> str | None:
    """The host's symbol for the number of elements behind ``tensor``."""
    entry = next((one for one in context.kernel.entries if one.short_name == instance.entry), None)
    names = [name for _, name in entry.parameters] if entry is not None else []
    return f"input{names.index(tensor.origin)}.size" if tensor.origin in names else None


def _sample(context: Context, size: str, total: int) -> dict[str, int] | None:
    """Numbers for the host's symbols; None when the host would turn the length down."""
    chip = context.chip
    known = {size: total}
    for name, cores in (
        ("core_num_aiv", chip.vector_cores),
        ("core_num", chip.vector_cores),
        ("ub_size", chip.ub_bytes),
    ):
        if cores is not None:
            known[f"host.{name}"] = cores
    tiling = context.facts.tiling if context.facts is not None else None
    guards = [evaluate(guard, known) for guard in tiling.guards] if tiling is not None else []
    return known if all(guards) else None


def _blocks(context: Context, known: dict[str, int]) -> int | None:
    calls = context.facts.tiling.calls_of("SetBlockDim") if context.facts is not None and context.facts.tiling else ()
    value = calls[0].value if len(calls) == 1 and not calls[0].conditional else None
    return evaluate(value, known) if value is not None else None


def _end(context: Context, copy: CopyEvent, offset: Value, known: dict[str, int]) -> int | None:
    """The byte behind the last copy of the loops around it."""
    numbers = dict(known)
    for step in copy.loops:
        loop, trips = step.loop, evaluate(context.linked(step.trip), numbers) if step.trip is not None else None
        first, by = (
            evaluate(context.linked(value), numbers) if value is not None else None for value in (loop.first, loop.step)
        )
        if trips is None or first is None or by is None or trips < 1:
            return None
        numbers[loop.loop_symbol] = first + (trips - 1) * by
    start = evaluate(context.linked(offset), numbers)
    length = evaluate(context.linked(copy.bytes), numbers) if copy.bytes is not None else None
    return start + length if start is not None and length is not None else None


def _finding(instance: Instance, copy: CopyEvent, tensor: TensorFact, found: _Excess) -> Finding:
    stores = [store for store in instance.of(StoreEvent) if store.order < copy.order and not store.dtype]
    names = found.share.symbols()
    store = next((one for one in reversed(stores) if one.value.symbols() and one.value.symbols() <= names), None)
    place = store.site if store is not None else copy.loops[-1].loop.header if copy.loops else copy.site
    what = (
        f"{store.name} is {store.value.text.split('.', 1)[1]}" if store is not None else "the loop takes a full share"
    )
    return RULE.finding(
        place,
        f"{what} on every core: the last of {found.blocks} reads up to element {found.end} of {tensor.origin}, which "
        f"has {found.total} in the shape tried. Shares are rounded up, so the last core must take what is left: "
        "min(share, total - start)",
        facts={"elements": found.end, "limit": found.total, "blocks": found.blocks, "operand": tensor.origin},
        related=(Related(copy.site.path, copy.site.span, f"{copy.name} reads past the end here"),),
    )


def _left_over(context: Context, copy: CopyEvent, tensor: TensorFact, found: _Excess) -> Finding:
    tiling = context.facts.tiling if context.facts is not None else None
    names = [name.partition(".")[2] for name in found.share.symbols() if name.startswith(("tiling.", "arg."))]
    sets = tiling.sets_of(names[0]) if tiling is not None and len(names) == 1 else ()
    place = (sets[0].origin or sets[0].site) if len(sets) == 1 else copy.site
    rest = found.total - found.end
    return RULE.finding(
        place,
        f"{found.blocks} cores with equal shares read {found.end} elements of {tensor.origin}, which has {found.total} "
        f"in the shape tried: the last {rest} are never processed. Round the share up and clip it on the last core, or "
        "give the last core what is left",
        facts={"elements": found.end, "limit": found.total, "blocks": found.blocks, "operand": tensor.origin},
        related=(Related(copy.site.path, copy.site.span, f"{copy.name} reads the share here"),),
        severity=Severity.WARNING,
    )


RULE = Rule("ASC-MEM012", "last-core-takes-a-full-share", Severity.ERROR, check)
