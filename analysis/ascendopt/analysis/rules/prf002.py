"""Each core starts at a multiple of 512 bytes.

## What it says
The host rounds the share of a core to a grain that is no multiple of 512 bytes.

## Why
A row that starts inside of a line of 512 bytes touches one line more: down to 70 % of the bandwidth.

## Example
```cpp
constexpr uint32_t ROUND = 16;  // half: 32 bytes
perCore = (share + ROUND - 1) / ROUND * ROUND;
```

## Instead
Round to 512 bytes: 256 elements of ``half``.

## Source
asc-devkit: align addresses in GM to 512 bytes, description.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import TensorFact
from ascendopt.analysis.facts.events import CopyEvent
from ascendopt.analysis.facts.tiling_model import HostConstant
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.values import Substitution, Value, number

LINE = 512
BLOCK_INDEX = "block_idx"


def check(context: Context) -> Iterator[Finding]:
    facts = context.facts
    if facts is None or facts.tiling is None:
        return
    constants = [one for one in facts.tiling.constants if not one.is_local]
    if not constants:
        return
    for instance in context.instances():
        cores = [Substitution({BLOCK_INDEX: number(core)}) for core in (0, 1)]
        for copy in instance.of(CopyEvent):
            for argument in copy.args[:2]:
                step = _step(argument.tensor, cores)
                grain = facts.linked(step).range.mod if step is not None else 0
                each = argument.tensor.element_bytes.constant() if argument.tensor is not None else None
                if step is None or not each or grain <= each or grain % LINE == 0:
                    continue
                rounding = [one for one in constants if one.value * each == grain]
                if len(rounding) == 1:
                    yield _finding(rounding[0], copy, step, each, grain)
                    break


def _step(tensor: TensorFact | None, cores: list[Substitution]) -> Value | None:
    """Bytes from the start of one core to that of the next, where the address depends on the core."""
    if tensor is None or tensor.memory != "global" or tensor.offset is None:
        return None
    first = cores[0].value(tensor.offset)
    if first is tensor.offset:
        return None
    second = cores[1].value(tensor.offset)
    return second - first if first is not None and second is not None else None


def _finding(rounding: HostConstant, copy: CopyEvent, step: Value, each: int, grain: int) -> Finding:
    return RULE.finding(
        rounding.site,
        f"{step.text} bytes from core to core are rounded to {rounding.value} elements = {grain} bytes: cores "
        "start at no "
        f"multiple of {LINE}, and each row touches one line more. Round to {LINE // each} elements",
        facts={"grain_bytes": grain, "align": LINE, "elements": LINE // each},
        related=(Related(copy.site.path, copy.site.span, f"{copy.name} starts there"),),
        fix=edits.fix(f"round to {LINE // each} elements", edits.constant(rounding, LINE // each), safe=False),
    )


RULE = Rule("ASC-PRF002", "core-start-alignment", Severity.PERF, check)
