"""UB operands start at a multiple of 32 bytes.

## What it says
A vector instruction or a copy uses a local tensor at an offset that is not a multiple of 32 bytes from the
start of its buffer.

## Why
The vector unit and the DMA engines address UB in 32-byte blocks. Another start raises an address-alignment
exception or reads and writes the wrong bytes.

## Example
```cpp
Add(z[3], x, y, 64);  // float: 12 bytes into the buffer
```

## Instead
Round the offset up to ``32 / sizeof(T)`` elements, or start at the block and use a mask.

## Source
asc-devkit: general notes and constraints, table 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import Argument
from ascendopt.analysis.facts.events import ApiCall, CopyEvent, ScalarAccess
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.alignment import misplaced
from ascendopt.analysis.rules.rule import Context, Rule

BLOCK = 32
VECTOR_POSITIONS = frozenset({"VECIN", "VECOUT", "VECCALC"})
# Operands that the scalar unit reads, or that have an alignment rule of their own.
OTHER_RULES = frozenset({"GetValue", "SetValue", "DumpTensor", "Gather", "Scatter", "EnQue", "FreeTensor"})


# Results of a reduction are packed: their own pages allow the size of an element (or of a value with its index).
PACKED_RESULTS = frozenset(
    [
        "ReduceMax",
        "ReduceMin",
        "ReduceSum",
        "WholeReduceMax",
        "WholeReduceMin",
        "WholeReduceSum",
        "RepeatReduceSum",
        "PairReduceSum",
        "BlockReduceMax",
        "BlockReduceMin",
        "BlockReduceSum",
    ]
)


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for call in instance.of(ApiCall):
            if isinstance(call, ScalarAccess) or call.name in OTHER_RULES or not call.name[:1].isupper():
                continue
            if not isinstance(call, CopyEvent) and not _is_vector_call(call):
                continue
            for argument in call.args[1:] if call.name in PACKED_RESULTS else call.args:
                finding = _check_operand(context, call, argument)
                if finding is not None:
                    yield finding
                    break


def _is_vector_call(call: ApiCall) -> bool:
    """A call whose first argument is a tensor in a vector buffer: what every vector API looks like."""
    first = call.args[0].tensor if call.args else None
    return first is not None and first.memory == "local"


def _check_operand(context: Context, call: ApiCall, argument: Argument) -> Finding | None:
    tensor = argument.tensor
    if tensor is None or tensor.memory != "local":
        return None
    if tensor.position is not None and tensor.position not in VECTOR_POSITIONS:
        return None
    found = misplaced(context, call, argument, BLOCK)
    if found is None:
        return None
    return RULE.finding(
        call.site,
        f"{call.name} takes {found.operand} at offset {found.text}; "
        f"operands in UB start at a multiple of {BLOCK} bytes"
        ". Round the offset up to whole blocks, or use a mask",
        facts={**found.facts, "api": call.name},
        related=found.related,
        case=found.case,
    )


RULE = Rule("ASC-ALN001", "ub-operand-alignment", Severity.ERROR, check)
