"""The host asks how many cores there are.

## What it says
The host starts a constant number of blocks that is smaller than the number of cores, for inputs of any size.

## Why
The other cores stand idle, and on a chip with another count the number is wrong again.

## Example
```cpp
context->SetBlockDim(8);
```

## Instead
Ask ``GetCoreNumAiv()`` (``GetCoreNumAic()`` for cube kernels) and divide by it. For kernels of a few microseconds
fewer cores can be faster.

## Source
asc-devkit: number of cores and kernel type, description.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.tiling_model import HostCall
from ascendopt.analysis.findings import Finding, Fix, Related, Severity, TextEdit
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.values import Range

# Elements that the copies of eight cores move in a few microseconds.
SMALL = 1 << 20
BLOCKS = "block_num"


def check(context: Context) -> Iterator[Finding]:
    tiling = context.facts.tiling if context.facts is not None else None
    cores = context.chip.vector_cores
    if tiling is None or cores is None:
        return
    calls = tiling.calls_of("SetBlockDim")
    if any(name.endswith(".size") and _is_small(known) for name, known in tiling.bounds.items()):
        return
    stated = [call.value.constant() if call.value is not None else None for call in calls]
    if None in stated:
        return
    for call, blocks in zip(calls, stated, strict=True):
        if blocks is not None and 1 < blocks < cores:
            yield RULE.finding(
                call.site,
                f"block count is the constant {blocks} and {context.chip.name} has {cores} vector cores: "
                f"{cores - blocks} "
                "stand idle. Use GetCoreNumAiv()",
                facts={"blocks": blocks, "cores": cores, "chip": context.chip.name},
                fix=_fix(context, call) if len(calls) == 1 else None,
                related=tuple(
                    Related(entry.site.path, entry.name_span, f"{entry.short_name} runs once for each block")
                    for entry in context.kernel.entries[:1]
                ),
            )


def _fix(context: Context, call: HostCall) -> Fix | None:
    """All cores, where the kernel divides by the number of blocks; unsafe: the host may divide as well."""
    if not context.kernel.instances or not all(map(_divides, context.kernel.instances)):
        return None
    every = r"\2->SetBlockDim(platform_ascendc::PlatformAscendC(\2->GetPlatformInfo()).GetCoreNumAiv())"
    edit = TextEdit(call.site.path, call.site.span, every, r"\b((\w+)->SetBlockDim\s*\(\s*\d+\s*\))")
    return edits.fix("as many blocks as cores", edit, safe=False)


def _divides(instance: Instance) -> bool:
    """True when a loop around a call, or where a copy starts, depends on the number of blocks."""
    for call in instance.of(ApiCall):
        offsets = [one.tensor.offset for one in call.args if one.tensor is not None]
        bounds = [value for step in call.loops for value in (step.loop.step, step.trip)]
        if any(value is not None and BLOCKS in value.symbols() for value in (*offsets, *bounds)):
            return True
    return False


def _is_small(elements: Range) -> bool:
    """True where the host turns larger inputs away: a few blocks may then be as fast as all."""
    return elements.hi is not None and elements.hi <= SMALL


RULE = Rule("ASC-PRF010", "fixed-core-count", Severity.PERF, check, by_instance=False)
