"""Select by bits keeps its scratch at the end of UB.

## What it says
A ``Select`` in a mode that reads a tensor of bits is used, and the buffers of the kernel leave less than 8 KB of
UB.

## Why
It writes to a fixed place behind byte 184 K of A2 and A3: a buffer that lies there is overwritten. A ``TBuf`` that the
kernel divides by hand counts as far as it is known to be used.

## Example
```cpp
pipe.InitBuffer(queue, 2, 95 * 1024); .. Select(y, mask, x, a, SELMODE::VSEL_TENSOR_SCALAR_MODE, n);
```

## Instead
Keep the last 8 KB free.

## Source
asc-devkit: Select, constraints (UB).
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import TensorFact
from ascendopt.analysis.facts.events import ApiCall, CopyEvent, InitBufferEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.extent import copied, touched
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.rules.ub_budget import Budget, budget

MODES = ("VSEL_TENSOR_SCALAR_MODE", "VSEL_TENSOR_TENSOR_MODE")


def check(context: Context) -> Iterator[Finding]:
    limit = context.chip.ub_kernel_bytes
    for instance in context.instances():
        call = next((call for call in instance.of(ApiCall) if call.name == "Select" and _by_bits(call)), None)
        used = budget(context, instance) if call is not None else None
        if call is None or used is None or limit is None or used.total <= limit:
            continue
        if _end(context, instance, used) <= limit:
            continue
        yield RULE.finding(
            call.site,
            f"Select keeps its scratch{_size(context)} behind byte {limit}, and the buffers of this kernel take "
            f"{used.total} bytes of UB: "
            f"{used.total - limit} bytes of them are overwritten. Keep the end of UB free",
            facts={"allocated_bytes": used.total, "limit_bytes": limit, "over_bytes": used.total - limit},
            related=context.host_side(*(event.total for event in used.buffers)),
            case=context.case_of(*(event.total for event in used.buffers)),
        )


def _size(context: Context) -> str:
    size = context.chip.api_scratch_bytes
    return f" of {size} bytes" if size is not None else ""


def _end(context: Context, instance: Instance, used: Budget) -> int:
    """The byte of UB behind the last one that the kernel uses."""
    start = end = 0
    for event, size in zip(used.buffers, used.bytes, strict=True):
        uses = list(_uses(context, instance, event))
        divided = event.queue is not None and event.queue.is_buffer and any(_is_inside(tensor) for tensor, _ in uses)
        if divided:
            end = max([end, *(start + _reach(context, tensor, length) for tensor, length in uses)])
        else:
            end = start + size
        start += size
    return end


def _uses(context: Context, instance: Instance, event: InitBufferEvent) -> Iterator[tuple[TensorFact, int]]:
    """The tensors in a buffer with the bytes that calls are known to touch of them."""
    for reading in readings(instance):
        for operand in reading.operands:
            tensor = operand.argument.tensor
            if tensor is not None and tensor.queue == event.queue:
                span = touched(context, reading, operand)
                yield tensor, span[0] if span is not None else 0
    for copy in instance.of(CopyEvent):
        span = copied(context, copy)
        for argument in copy.args[:2]:
            if argument.tensor is not None and argument.tensor.queue == event.queue:
                yield argument.tensor, span[0] if span is not None else 0


def _is_inside(tensor: TensorFact) -> bool:
    return tensor.offset is None or tensor.offset.constant() != 0


def _reach(context: Context, tensor: TensorFact, length: int) -> int:
    offset = context.number(tensor.offset)
    return 0 if offset is None else offset + length


def _by_bits(call: ApiCall) -> bool:
    return any(argument.enumerator in MODES for argument in call.args)


RULE = Rule("ASC-TMP001", "select-scratch", Severity.ERROR, check, families=frozenset({"A2", "A3", "310P"}))
