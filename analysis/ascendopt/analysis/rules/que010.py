"""What only passes through needs one queue.

## What it says
A kernel copies from an input tensor to an output tensor inside of UB and computes nothing with it.

## Why
The vector unit moves each byte once more, and both tensors take room in UB.

## Example
```cpp
DataCopy(out, in, n);  // VECIN -> VECOUT
```

## Instead
Use one ``TQueBind<VECIN, VECOUT, 1>``: the tensor that was loaded is stored.

## Source
asc-devkit: copy-only operators, comparison of times.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import TensorFact
from ascendopt.analysis.facts.events import ApiCall, CopyEvent
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for copy in instance.of(CopyEvent):
            target, source = (argument.tensor for argument in copy.args[:2])
            if copy.direction != "local" or target is None or source is None:
                continue
            if (source.position, target.position) != ("VECIN", "VECOUT"):
                continue
            users = [call for call in instance.of(ApiCall) if call is not copy and _touches(call, source, target)]
            if all(isinstance(call, CopyEvent) and call.direction in ("in", "out") for call in users):
                yield RULE.finding(
                    copy.site,
                    f"{copy.name} from a VECIN tensor to a VECOUT tensor with no computation. "
                    "TQueBind<VECIN, VECOUT> avoids the vector copy and half of the UB",
                    facts={"bytes": context.number(copy.bytes)},
                )


def _touches(call: ApiCall, source: TensorFact, target: TensorFact) -> bool:
    handles = {source.handle, target.handle} - {None}
    return any(argument.tensor is not None and argument.tensor.handle in handles for argument in call.args)


RULE = Rule("ASC-QUE010", "copy-through-the-vector-unit", Severity.PERF, check)
