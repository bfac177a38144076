"""The workspace holds what the kernel writes there.

## What it says
The kernel copies further into the workspace than the host reserved, for every shape that was tried.

## Why
The end of the last core lies behind the workspace: the engine reports an address out of range, or another tensor
changes.

## Example
```cpp
workspace[0] = lib + blocks * cols * 2;  // and the kernel writes rows of colsAlign floats
```

## Instead
Reserve the length that the kernel uses, with its alignment and element size.

## Source
asc-devkit: workspace, GetUserWorkspace.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ascendopt.analysis.facts.events import CopyEvent
from ascendopt.analysis.facts.tiling_model import HostCall
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.values import Value, number, substitute

SAMPLES = (3, 37, 100, 1000, 4097)
STEP = 7
LIBRARY = "GetLibApiWorkSpaceSize"
BLOCK_INDEX = "block_idx"


def check(context: Context) -> Iterator[Finding]:
    facts = context.facts
    if facts is None or facts.tiling is None:
        return
    given = [
        replace(call, value=_without_library(call.value))
        for call in facts.tiling.calls_of("workspace")
        if call.value is not None and not call.conditional
    ]
    blocks = [call.value for call in facts.tiling.calls_of("SetBlockDim")]
    if len(given) != 1 or len(blocks) != 1 or blocks[0] is None:
        return
    for instance in context.instances():
        for copy in instance.of(CopyEvent):
            needed = _end(context, copy, blocks[0])
            short = _always_short(context, given[0], needed) if needed is not None else None
            if short is not None and needed is not None:
                yield RULE.finding(
                    given[0].site,
                    f"host reserves {_plain(given[0].value)} bytes besides the library's, and {copy.name} reaches "
                    f"{_plain(needed)}: short by {short[1] - short[0]} bytes for one of the shapes tried, too "
                    "small for all of "
                    "them. Use the length and element size of the kernel",
                    facts={"reserved_bytes": short[0], "needed_bytes": short[1]},
                    related=(Related(copy.site.path, copy.site.span, "the kernel copies here"),),
                )
                return


def _without_library(value: Value) -> Value | None:
    """What the host reserves for the kernel's own use."""
    library = {name: number(0) for name in value.symbols() if LIBRARY in name}
    return substitute(value, library)


def _end(context: Context, copy: CopyEvent, blocks: Value) -> Value | None:
    """The last byte that the last core touches of the workspace, over the host's symbols."""
    facts = context.facts
    for argument in copy.args[:2]:
        tensor = argument.tensor
        if tensor is None or tensor.origin is None or "workspace" not in tensor.origin.lower():
            continue
        if tensor.offset is None or copy.count is None or facts is None:
            return None
        end = substitute(tensor.offset + copy.count * tensor.element_bytes, {BLOCK_INDEX: blocks - number(1)})
        return facts.linked(end) if end is not None else None
    return None


def _always_short(context: Context, given: HostCall, needed: Value) -> tuple[int, int] | None:
    """Reserved and needed bytes of one sample, when the first is the smaller one in every sample."""
    reserved = given.value
    if reserved is None or not reserved.is_known or not needed.is_known:
        return None  # what is not understood may depend on each other
    names = sorted(reserved.symbols() | needed.symbols())
    worst: tuple[int, int] | None = None
    for start in SAMPLES:
        numbers = {name: number(_sample(context, name, start + STEP * index)) for index, name in enumerate(names)}
        have, want = (_constant(substitute(value, numbers)) for value in (reserved, needed))
        if have is None or want is None or have >= want:
            return None
        worst = (have, want)
    return worst


def _constant(value: Value | None) -> int | None:
    return value.constant() if value is not None else None


def _sample(context: Context, name: str, value: int) -> int:
    if "core_num" in name:
        return context.chip.vector_cores or value
    return context.chip.ub_bytes or value if name == "host.ub_size" else value


def _plain(value: Value | None) -> str:
    return value.text.replace("input0.", "") if value is not None else "?"


RULE = Rule("ASC-MEM011", "workspace-too-small", Severity.ERROR, check)
