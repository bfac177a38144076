"""A copy stays inside of its global buffer.

## What it says
A copy touches more elements than ``SetGlobalBuffer`` gave the tensor from there on.

## Why
The address leaves what was taken: the engine reports an address out of range, or another tensor changes.

## Example
```cpp
xGm.SetGlobalBuffer((__gm__ half*)x, 1024); DataCopy(in, xGm[512], 1024);
```

## Instead
Check offset and length in the tiling; the last core has the rest.

## Source
asc-devkit: SetGlobalBuffer, parameter bufferSize.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ascendopt.analysis.facts.declared import Argument, TensorFact
from ascendopt.analysis.facts.events import CopyEvent
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.extent import BLOCK
from ascendopt.analysis.rules.rounds import any_or_end_rounds, at, said
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.values import Value

STRIDED = frozenset({"DataCopyParams", "DataCopyExtParams"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for copy in instance.of(CopyEvent):
            for argument in copy.args[:2]:
                tensor = argument.tensor
                if tensor is not None and tensor.memory == "global":
                    yield from _beyond(context, copy, argument, tensor)


def _beyond(context: Context, copy: CopyEvent, argument: Argument, tensor: TensorFact) -> Iterator[Finding]:
    shape = _shape(copy)
    for counters in any_or_end_rounds(context, copy, *shape, tensor.length):
        count = _elements(context, copy, tensor, counters)
        left = context.number(at(tensor.length, counters))
        if left is None or count is None or count <= left:
            continue
        yield RULE.finding(
            copy.site,
            f"{copy.name} moves {count} elements of {argument.text}, which has {left} from there"
            f"{said(copy, counters)}. Clip the count to what is left of the buffer",
            facts={"elements": count, "limit": left, "operand": argument.text},
            related=context.host_side(*shape, tensor.length),
            case=context.case_of(*(at(value, counters) for value in (*shape, tensor.length))),
        )
        return


def _shape(copy: CopyEvent) -> tuple[Value | None, ...]:
    """What says how far the copy reaches in global memory: its count, or rows, their length and the gap between."""
    if copy.params is None:
        return (copy.count,)
    return tuple(copy.params.field(name) for name in ("blockCount", "blockLen", _gap(copy)))


def _gap(copy: CopyEvent) -> str:
    return "srcStride" if copy.direction == "in" else "dstStride"


def _elements(context: Context, copy: CopyEvent, tensor: TensorFact, counters: Mapping[str, int]) -> int | None:
    """Elements from the start of the copy to its end in global memory, the gap behind the last row left out."""
    numbers = [context.number(at(value, counters)) for value in _shape(copy)]
    if copy.params is None:
        return numbers[0]
    each = tensor.element_bytes.constant()
    rows, length, gap = numbers
    if copy.direction not in ("in", "out") or copy.params.struct not in STRIDED or not each:
        return None
    if rows is None or length is None or gap is None or rows < 1:
        return None
    unit = BLOCK if copy.name == "DataCopy" else 1
    return -(-(rows * length + (rows - 1) * gap) * unit // each)


RULE = Rule("ASC-MEM008", "beyond-global-memory", Severity.ERROR, check)
