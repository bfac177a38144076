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

from ascendopt.analysis.facts.model import ApiCall
from ascendopt.analysis.findings import Finding, Severity
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
                )
                break


RULE = Rule("ASC-MSK001", "counter-mode-left-on", Severity.ERROR, check)
