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

from ascendopt.analysis.facts.model import ApiCall, Instance
from ascendopt.analysis.facts.readings import read_call
from ascendopt.analysis.findings import Finding, Fix, Severity
from ascendopt.analysis.rules.repair import behind, namespace, together
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
                fix=_fix(instance, calls[-1]),
            )


def _fix(instance: Instance, switch: ApiCall) -> Fix | None:
    """Behind the last call beside ``switch`` that takes a mask; safe where no later call may rely on the mode."""
    later = [call for call in instance.of(ApiCall) if call.order > switch.order and _takes_a_mask(call)]
    beside = [call for call in later if together(switch, call)]
    if not beside:
        return None
    scope = namespace(switch)
    text = f"{scope}ResetMask()"
    return behind(beside[-1].site, "switch it off behind the last call", text, safe=beside[-1] is later[-1])


def _takes_a_mask(call: ApiCall) -> bool:
    reading = read_call(call)
    return reading is not None and reading.page.pipe == "V"


RULE = Rule("ASC-MSK002", "mask-left-set", Severity.WARNING, check)
