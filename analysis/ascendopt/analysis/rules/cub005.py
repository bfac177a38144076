"""950 has no way from GM to L0 and from L1 to GM.

## What it says
A ``LoadData`` from GM to A2 or B2, or a ``DataCopy`` from L1 to GM, is compiled for 950.

## Why
These paths of earlier chips are not there.

## Example
```cpp
LoadData(a2, xGm, params);  // --soc Ascend950
```

## Instead
Go through L1, through UB, or out by ``Fixpipe``.

## Source
asc-devkit: architecture 3510, features.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

L0 = frozenset({"A2", "B2"})
L1 = frozenset({"A1", "B1", "C1", "TSCM"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for call in instance.of(ApiCall):
            if call.name not in ("LoadData", "DataCopy") or len(call.args) < 2:
                continue
            target, source = (argument.tensor for argument in call.args[:2])
            if target is None or source is None:
                continue
            down = source.memory == "global" and target.position in L0
            up = target.memory == "global" and source.position in L1
            if down or up:
                yield RULE.finding(
                    call.site,
                    f"{call.name} from {'GM to ' + str(target.position) if down else str(source.position) + ' to GM'}: "
                    f"{context.chip.name} has no such path. Go through L1, UB or Fixpipe",
                    facts={"api": call.name, "chip": context.chip.name},
                )


RULE = Rule("ASC-CUB005", "paths-gone-on-950", Severity.ERROR, check, families=frozenset({"950"}))
