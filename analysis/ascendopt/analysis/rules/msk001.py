"""Counter mode is switched off again.

## What it says
``SetMaskCount`` is not followed by ``SetMaskNorm``.

## Why
Later calls in the mask-and-repeat form take their mask for a number of elements.

## Example
```cpp
SetMaskCount(); SetVectorMask<half, MaskMode::COUNTER>(0, n); Add<half, false>(..);  // SetMaskNorm is missing
```

## Instead
Call ``SetMaskNorm`` and ``ResetMask`` after the block.

## Source
asc-devkit: SetMaskCount, constraints.
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
        modes = [call for call in instance.of(ApiCall) if call.name in ("SetMaskCount", "SetMaskNorm")]
        for index, call in enumerate(modes):
            if call.name == "SetMaskCount" and all(later.name == "SetMaskCount" for later in modes[index + 1 :]):
                yield RULE.finding(
                    call.site,
                    "SetMaskCount without SetMaskNorm behind it: later calls take their mask for a number of "
                    "elements. Call "
                    "SetMaskNorm and ResetMask after the block",
                    facts={"missing": "SetMaskNorm"},
                    fix=_fix(instance, call),
                )
                break


def _fix(instance: Instance, switch: ApiCall) -> Fix | None:
    """Behind the last call beside ``switch`` that takes a mask; safe where no later call may rely on the mode."""
    later = [call for call in instance.of(ApiCall) if call.order > switch.order and _takes_a_mask(call)]
    beside = [call for call in later if together(switch, call)]
    if not beside:
        return None
    scope = namespace(switch)
    text = f"{scope}SetMaskNorm();\n{scope}ResetMask()"
    return behind(beside[-1].site, "switch it off behind the last call", text, safe=beside[-1] is later[-1])


def _takes_a_mask(call: ApiCall) -> bool:
    reading = read_call(call)
    return reading is not None and reading.page.pipe == "V"


RULE = Rule("ASC-MSK001", "counter-mode-left-on", Severity.ERROR, check)
