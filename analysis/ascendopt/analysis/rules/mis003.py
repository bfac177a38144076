"""Some functions are of the past.

## What it says
A function is called that newer chips keep for compatibility only, or no longer have.

## Why
It is slower, or does not compile: the sort of proposals and ``Conv2D`` and ``Gemm`` have successors.

## Example
```cpp
RpSort16(y, x, 4);  // A2
```

## Instead
Use ``Sort32`` and ``MrgSort``; ``Mmad`` or the Matmul library.

## Source
asc-devkit: pages marked as deprecated.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

SUCCESSORS = {
    "Conv2D": "Mmad, or the Conv3D library",
    "Gemm": "Mmad, or the Matmul library",
    "RpSort16": "Sort32",
    "MrgSort4": "MrgSort",
    "ProposalConcat": "Concat, or Sort32 on scores and indices",
    "ProposalExtract": "Extract",
}


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for call in instance.of(ApiCall):
            successor = SUCCESSORS.get(call.name) if not call.receiver_text else None
            if successor is not None:
                yield RULE.finding(
                    call.site,
                    f"{call.name} is deprecated on {context.chip.name}. Use {successor}",
                    facts={"api": call.name, "successor": successor},
                )


RULE = Rule("ASC-MIS003", "old-api", Severity.WARNING, check, families=frozenset({"A2", "A3", "950"}))
