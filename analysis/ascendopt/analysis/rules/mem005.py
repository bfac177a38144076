"""A TBuf gives no more than InitBuffer took.

## What it says
A ``Get`` of a ``TBuf`` asks for more elements than its ``InitBuffer`` has bytes.

## Why
The tensor reaches into the buffer behind it.

## Example
```cpp
pipe.InitBuffer(work, 1024); work.Get<float>(512);  // 2048 bytes
```

## Instead
Make both lengths come from one constant.

## Source
asc-devkit: TBuf::Get, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import BufferGetEvent, InitBufferEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Finding, Fix, Related, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule

BLOCK = 32


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        rooms: dict[object, list[InitBufferEvent]] = {}
        for init in instance.of(InitBufferEvent):
            rooms.setdefault(init.queue, []).append(init)
        for event in instance.of(BufferGetEvent):
            tensor, inits = event.tensor, rooms.get(event.tensor.queue, [])
            each = tensor.element_bytes.constant()
            elements = context.number(tensor.length)
            if len(inits) != 1 or not each or elements is None or tensor.queue is None:
                continue
            room, start = context.number(inits[0].length), context.number(tensor.offset)
            if room is None or start is None or start + elements * each <= -(-room // BLOCK) * BLOCK:
                continue
            behind = f" behind byte {start}" if start else ""
            yield RULE.finding(
                event.site,
                f"Get of {elements} x {each} = {elements * each} bytes{behind} from {tensor.queue.name}, which has "
                f"{room}: the tensor reaches into the next buffer. Make both lengths come from one constant",
                facts={"bytes": elements * each, "limit_bytes": room, "buffer": tensor.queue.name},
                related=(
                    Related(inits[0].site.path, inits[0].site.span, f"{room} bytes are taken here"),
                    *context.host_side(tensor.length, tensor.offset, inits[0].length),
                ),
                fix=_fix(context, instance, inits[0]),
                case=context.case_of(tensor.length, tensor.offset, inits[0].length),
            )


def _fix(context: Context, instance: Instance, init: InitBufferEvent) -> Fix | None:
    """A buffer for the longest of its tensors."""
    tensors = [get.tensor for get in instance.of(BufferGetEvent) if get.tensor.queue == init.queue]
    sizes = [
        (context.kernel_number(one.length), one.element_bytes.constant(), context.kernel_number(one.offset))
        for one in tensors
    ]
    held = context.kernel_number(init.length)
    if held is None:
        return None
    ends = [start + elements * each for elements, each, start in sizes if elements and each and start is not None]
    most = max(ends, default=0)
    more = most - -(-held // BLOCK) * BLOCK
    return edits.fix("a buffer as long as that", edits.length(context, instance, init, more), safe=False, of_run=True)


RULE = Rule("ASC-MEM005", "get-beyond-buffer", Severity.ERROR, check)
