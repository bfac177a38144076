"""A mask that was set is reset.

## What it says
``SetVectorMask`` is not followed by ``ResetMask``.

## Why
Later calls that use the mask as it stands compute a part of their data.

## Example
```cpp
SetVectorMask<half>(0, 0xff); Add<half, false>(..);
```

## Instead
Call ``ResetMask`` after the last call that needs the mask.

## Source
asc-devkit: SetVectorMask, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.mask_state import switched_off
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        if not instance.complete:
            continue
        calls = [call for call in instance.of(ApiCall) if call.name in ("SetVectorMask", "ResetMask")]
        if calls and all(call.name == "SetVectorMask" for call in calls):
            yield RULE.finding(
                calls[-1].site,
                "SetVectorMask without ResetMask behind it: later calls that use the mask as it stands compute a "
                "part of "
                "their data"
                ". Call ResetMask after the last of them",
                facts={"missing": "ResetMask"},
                fix=switched_off(instance, calls[-1], ("ResetMask",)),
            )


RULE = Rule("ASC-MSK002", "mask-left-set", Severity.WARNING, check)
