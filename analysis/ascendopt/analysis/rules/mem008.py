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

from collections.abc import Iterator

from ascendopt.analysis.facts.model import Argument, CopyEvent, TensorFact
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rounds import any_or_end_rounds, at, said
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for copy in instance.of(CopyEvent):
            for argument in copy.args[:2]:
                tensor = argument.tensor
                if tensor is not None and tensor.memory == "global":
                    yield from _beyond(context, copy, argument, tensor)


def _beyond(context: Context, copy: CopyEvent, argument: Argument, tensor: TensorFact) -> Iterator[Finding]:
    for counters in any_or_end_rounds(context, copy, copy.count, tensor.length):
        count, left = (context.number(at(value, counters)) for value in (copy.count, tensor.length))
        if left is None or count is None or count <= left:
            continue
        yield RULE.finding(
            copy.site,
            f"{copy.name} moves {count} elements of {argument.text}, which has {left} from there"
            f"{said(copy, counters)}. Clip the count to what is left of the buffer",
            facts={"elements": count, "limit": left, "operand": argument.text},
            related=context.host_side(copy.count, tensor.length),
            case=context.case_of(at(copy.count, counters), at(tensor.length, counters)),
        )
        return


RULE = Rule("ASC-MEM008", "beyond-global-memory", Severity.ERROR, check)
