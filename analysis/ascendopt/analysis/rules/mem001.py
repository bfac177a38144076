"""UB budget.

## What it says
The buffers that a kernel takes with ``InitBuffer`` need more than the unified buffer of the chip has. Each
queue takes ``num`` buffers of its length rounded up to 32 bytes; each ``TBuf`` takes one. Or a tensor that is
laid at an address, or by a ``LocalMemAllocator`` behind those before it, ends behind the unified buffer.

## Why
The allocator only checks this in debug builds. On the device the buffers beyond the end overlap others or
raise an address error far from the cause.

## Example
```cpp
constexpr uint32_t TILE = 12800;
pipe.InitBuffer(xQueue, 2, TILE * sizeof(half));  // three queues of 2 x 25600 bytes ...
pipe.InitBuffer(work, TILE * sizeof(float));      // ... and 51200 bytes: 204800 of 196608
```

## Instead
Lower the tile length, use one buffer instead of two, or let the host divide what
``GetCoreMemSize(CoreMemType::UB)`` returns by all buffers together, double buffers counted twice.

## Source
asc-devkit: NPU architecture 2201, note below the memory table; InitBuffer, constraints.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascendopt.analysis.facts.events import PlacementEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.tiling_model import HostConstant, TilingModel, TilingSet
from ascendopt.analysis.findings import FactValue, Finding, Related, Severity
from ascendopt.analysis.rules.extent import BLOCK
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.rules.ub_budget import Budget, budget, buffers_of, describe, linked_total

IN_UB = ("VECIN", "VECOUT", "VECCALC")
_UB_NAME = re.compile(r"(^|_)UB(_|$)|UNIFIED_?BUFFER|^ub[A-Z_]|Ub(Size|Bytes)", re.IGNORECASE)


def check(context: Context) -> Iterator[Finding]:
    limit = context.chip.ub_bytes
    if limit is None:
        return
    for instance in context.instances():
        used = budget(context, instance)
        if used.total > limit:
            yield _over(context, used, limit)
        elif not used.complete and context.facts is not None:
            yield from _linked(context, used, limit)
        yield from _placed(context, instance, limit)


def _placed(context: Context, instance: Instance, limit: int) -> Iterator[Finding]:
    """Tensors at addresses of their own, and those that an allocator lays one behind the other."""
    running: dict[str, int] = {}
    for event in instance.of(PlacementEvent):
        size = context.number(event.bytes)
        if size is None or event.tensor.position not in IN_UB:
            continue
        if event.address is not None:
            start = context.number(event.address)
        else:
            # What not every path takes, or a loop takes over and over, is not counted.
            start = running.get(event.allocator, 0)
            running[event.allocator] = start + (0 if event.path else -(-size // BLOCK) * BLOCK)
        if start is not None and start + size > limit:
            yield _behind(context, event, start, size, limit)
            return


def _behind(context: Context, event: PlacementEvent, start: int, size: int, limit: int) -> Finding:
    over = start + size - limit
    name = event.tensor.name or "the tensor"
    return RULE.finding(
        event.site,
        f"{name} takes {size} bytes from byte {start} of UB on, limit {limit} bytes ({_kib(limit)}) on "
        f"{context.chip.name}: over by {over} bytes. Take a shorter tile",
        facts={
            "start_bytes": start,
            "bytes": size,
            "limit_bytes": limit,
            "over_bytes": over,
            "chip": context.chip.name,
        },
    )


def _over(context: Context, used: Budget, limit: int) -> Finding:
    shares = [
        describe(event, size, limit, buffers_of(context, event))
        for event, size in zip(used.buffers, used.bytes, strict=True)
        if size
    ]
    running, crossing = 0, used.buffers[-1]
    for event, size in zip(used.buffers, used.bytes, strict=True):
        running += size
        if running > limit:
            crossing = event
            break
    facts: dict[str, FactValue] = {
        "allocated_bytes": used.total,
        "limit_bytes": limit,
        "over_bytes": used.total - limit,
        "chip": context.chip.name,
    }
    message = (
        f"{used.total} bytes allocated in UB, limit {limit} bytes ({_kib(limit)}) on {context.chip.name}: "
        f"over by {used.total - limit} bytes. {'; '.join(shares)}. Take a shorter tile or fewer buffers"
    )
    related = tuple(
        Related(event.site.path, event.site.span, describe(event, size, limit, buffers_of(context, event)))
        for event, size in zip(used.buffers, used.bytes, strict=True)
        if event is not crossing and size
    )
    totals = [event.total for event in used.buffers]
    return RULE.finding(
        crossing.site,
        message,
        facts=facts,
        related=(*related, *context.host_side(*totals)),
        case=context.case_of(*totals),
    )


def _linked(context: Context, used: Budget, limit: int) -> Iterator[Finding]:
    """Follow each length to the host expression that set it: the host may fill UB without knowing it."""
    tiling = context.facts.tiling if context.facts is not None else None
    linked = linked_total(context, used, limit)
    if tiling is None or linked is None or linked.total <= limit:
        return
    least, cause = linked.total, linked.cause
    buffers = ", ".join(
        f"{event.queue.name if event.queue else event.queue_text} {event.num.text} x {event.length_text}"
        for event in used.buffers
    )
    fixed = _fixed_size(tiling, cause, limit)
    if fixed is None:
        why = f"{cause.field} comes from {_source_text(cause)}; with it"
        remedy = "Divide by every buffer of the kernel, double buffers twice"
    else:
        why = f"{fixed.name} is fixed to {fixed.value}, and {cause.field} comes from it: with {_source_text(cause)}"
        remedy = "Ask the chip: GetCoreMemSize(CoreMemType::UB, size)"
    yield RULE.finding(
        fixed.site if fixed is not None else cause.origin or cause.site,
        f"{why} the kernel allocates {least} bytes of UB "
        f"against {limit} bytes ({_kib(limit)}) on {context.chip.name} for a full tile, over by "
        f"{least - limit} bytes: {buffers}. {remedy}",
        facts={
            "allocated_bytes": least,
            "limit_bytes": limit,
            "over_bytes": least - limit,
            "field": cause.field,
            "chip": context.chip.name,
        },
        related=tuple(
            Related(event.site.path, event.site.span, f"{event.num.text} x {event.length_text}")
            for event in used.buffers
        ),
    )


def _fixed_size(tiling: TilingModel, cause: TilingSet, limit: int) -> HostConstant | None:
    """The host's own idea of the size of UB, when that is what the length comes from: a constant of more bytes than
    there are, with UB in its name, where the host asks the chip for nothing."""
    if cause.value is None or not cause.value.is_constant:
        return None
    sizes = [one for one in tiling.constants if one.value > limit and _UB_NAME.search(one.name)]
    return sizes[0] if len(sizes) == 1 else None


def _source_text(cause: TilingSet) -> str:
    """What the host computes, in words: `UB size / 8`; as written where it is not known."""
    if cause.value is None:
        return cause.value_text
    text = cause.value.text.replace("host.ub_size", "UB size")
    return text[1:-1] if text.startswith("(") and text.endswith(")") and text.count("(") == 1 else text


def _kib(size: int) -> str:
    return f"{size / 1024:g} KB"


RULE = Rule("ASC-MEM001", "ub-budget", Severity.ERROR, check)
