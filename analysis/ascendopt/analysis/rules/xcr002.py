"""Blocks that wait for each other run at the same time.

## What it says
The host starts more blocks than the chip has cores, and the kernel calls ``SyncAll`` or ``IBSet``.

## Why
The blocks of the second wave start when those of the first end, which wait for them: the kernel hangs.

## Example
```cpp
context->SetBlockDim(64);  // and SyncAll() in the kernel
```

## Instead
Ask for the cores with ``GetCoreNumAiv()`` and loop over the parts.

## Source
asc-devkit: IBSet, SyncAll, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.launch import fewest_blocks
from ascendopt.analysis.rules.rule import Context, Rule

WAITS = frozenset({"SyncAll", "IBSet", "IBWait"})


def check(context: Context) -> Iterator[Finding]:
    tiling = context.facts.tiling if context.facts is not None else None
    cores = context.chip.vector_cores
    if tiling is None or cores is None:
        return
    for instance in context.instances():
        wait = next((call for call in instance.of(ApiCall) if call.name in WAITS), None)
        if wait is None:
            continue
        for call in tiling.calls_of("SetBlockDim"):
            blocks = fewest_blocks(context, call)
            if blocks is None or blocks <= cores:
                continue
            yield RULE.finding(
                call.site,
                f"SetBlockDim({call.value_text}) starts {blocks} blocks, the kernel calls {wait.name}, and "
                f"{context.chip.name} has {cores} vector cores: the block count must not exceed the core count, "
                "otherwise the "
                "kernel hangs. Use GetCoreNumAiv() and loop over the parts",
                facts={"blocks": blocks, "cores": cores, "api": wait.name, "chip": context.chip.name},
                related=(Related(wait.site.path, wait.site.span, f"{wait.name} waits for every block"),),
            )


RULE = Rule("ASC-XCR002", "more-blocks-than-cores", Severity.ERROR, check)
