"""A call stays inside of its tensor.

## What it says
A vector call or copy touches more bytes than the buffer of its tensor has from there on.

## Why
It reads or writes the buffer behind it: another tensor changes, or the access leaves UB.

## Example
```cpp
pipe.InitBuffer(xQueue, 2, 1024); .. DataCopy(x, xGm, 1024);  // half: 2048 bytes
```

## Instead
Clip the count to the tensor. ``blockLen`` of ``DataCopyParams`` counts blocks of 32 bytes.

## Source
the size of the buffer: asc-devkit, InitBuffer, parameter len.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from ascendopt.analysis.facts.declared import Argument, Site
from ascendopt.analysis.facts.events import ApiCall, CopyEvent, InitBufferEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Fix, Related, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.extent import BLOCK, Room, copied, repeated, room, touched
from ascendopt.analysis.rules.rounds import any_or_end_rounds, said
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.rules.ub_budget import budget
from ascendopt.analysis.values import Value

# The bytes that a call touches in a round of its loops, and the value that says so.
Reach = Callable[[Mapping[str, int]], tuple[int, Value] | None]


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        # Where the mask may be a number of elements, a repeat says nothing of how far a call goes.
        counts = any(call.name == "SetMaskCount" for call in instance.of(ApiCall))
        for reading in readings(instance):
            length = reading.count or reading.repeats
            extent = touched if reading.count is not None else repeated
            if length is None or (extent is repeated and counts):
                continue
            for operand in reading.operands:
                reach = partial(extent, context, reading, operand)
                yield from _in_any_round(context, instance, reading.call, operand.argument, length.value, reach)
        for copy in instance.of(CopyEvent):
            for argument in copy.args[:2]:
                reach = partial(copied, context, copy)
                yield from _in_any_round(context, instance, copy, argument, copy.bytes, reach)


def _in_any_round(
    context: Context, instance: Instance, call: ApiCall, argument: Argument, length: Value | None, reach: Reach
) -> Iterator[Finding]:
    """The first round of the loops around ``call`` in which it leaves its buffer."""
    offset = argument.tensor.offset if argument.tensor is not None else None
    for counters in any_or_end_rounds(context, call, length, offset):
        found = _beyond(context, instance, call, argument, reach(counters), counters)
        if found is not None:
            yield found
            return


def _beyond(
    context: Context,
    instance: Instance,
    call: ApiCall,
    argument: Argument,
    span: tuple[int, Value] | None,
    counters: Mapping[str, int],
) -> Finding | None:
    found = room(context, instance, argument.tensor, counters) if span is not None else None
    if span is None or found is None or span[0] <= found.bytes:
        return None
    is_last = _is_last(context, instance, found, span[0] - found.bytes)
    where = "bytes behind the last buffer, which the next one will take" if is_last else "bytes of another buffer"
    name = argument.tensor.queue.name if argument.tensor is not None and argument.tensor.queue is not None else ""
    return RULE.finding(
        _blame(call),
        f"{_what(context, call)}{call.name} touches {span[0]} bytes of {argument.text}, and {name} holds "
        f"{found.bytes} from there{said(call, counters)}: {span[0] - found.bytes} {where}"
        f"{_remedy(context, call, found)}",
        facts={"bytes": span[0], "limit_bytes": found.bytes, "over_bytes": span[0] - found.bytes, "buffer": name},
        related=(
            Related(found.init.site.path, found.init.site.span, "the buffer is taken here"),
            Related(call.site.path, call.site.span, "used here"),
            *context.host_side(span[1], *found.values),
        ),
        fix=_in_blocks(context, instance, call, found),
        case=context.case_of(span[1], *found.values),
        severity=Severity.WARNING if is_last else None,
    )


def _is_last(context: Context, instance: Instance, found: Room, over: int) -> bool:
    """True when no buffer was taken behind the one that is left, and UB has room there: nothing is overwritten yet."""
    taken = instance.of(InitBufferEvent)
    if context.number(found.init.num) != 1 or any(init.order > found.init.order for init in taken):
        return False
    used = budget(context, instance)
    return not used.complete or used.total + over <= (context.chip.ub_bytes or 0)


def _blame(call: ApiCall) -> Site:
    """The line that says the length: where a field of the parameters is set, else the call."""
    params = call.params if isinstance(call, CopyEvent) else None
    place = params.set_at("blockLen") if params is not None else None
    return replace(call.site, place=place) if place is not None else call.site


def _what(context: Context, call: ApiCall) -> str:
    if not isinstance(call, CopyEvent) or call.params is None or call.name != "DataCopy":
        return ""
    rows, length = (context.number(call.params.field(name)) for name in ("blockCount", "blockLen"))
    if rows is None or length is None:
        return ""
    return (
        f"blockLen is counted in {BLOCK}-byte blocks: {length} blocks = {length * BLOCK} bytes per row, {rows} rows = "
        f"{rows * length * BLOCK} bytes. "
    )


def _remedy(context: Context, call: ApiCall, found: Room) -> str:
    """What to do; where a length in bytes was taken for one in blocks, the length that was meant."""
    length = _bytes_for_blocks(context, call, found)
    if length is None:
        return ". Clip the length to the buffer, or make the buffer longer"
    return f"; expected blockLen {length // BLOCK}"


def _bytes_for_blocks(context: Context, call: ApiCall, found: Room) -> int | None:
    """The blockLen that was given in bytes: taken so, all rows fit."""
    if not isinstance(call, CopyEvent) or call.params is None or call.name != "DataCopy":
        return None
    rows, length = (context.number(call.params.field(name)) for name in ("blockCount", "blockLen"))
    return length if rows and length and length % BLOCK == 0 and rows * length <= found.bytes else None


def _in_blocks(context: Context, instance: Instance, call: ApiCall, found: Room) -> Fix | None:
    """A blockLen in bytes divided by 32; unsafe, because it is a guess at what was meant."""
    if _bytes_for_blocks(context, call, found) is None or not isinstance(call, CopyEvent) or call.params is None:
        return None
    length = edits.field(context, instance, call, call.params, "blockLen", f"({{}}) / {BLOCK}")
    return edits.fix("count blocks of 32 bytes", length, safe=False)


RULE = Rule("ASC-MEM006", "beyond-the-tensor", Severity.ERROR, check)
