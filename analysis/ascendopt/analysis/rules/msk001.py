"""Counter mode is switched off again.

## What it says
``SetMaskCount`` is not followed by ``SetMaskNorm``, nor by a call in the form with a number of elements, which sets
the mode itself and leaves the normal one behind. An error where a call in the mask-and-repeat form comes next.

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

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.readings import Reading, readings
from ascendopt.analysis.findings import Finding, Fix, Related, Severity
from ascendopt.analysis.rules.mask_state import switched_off
from ascendopt.analysis.rules.repair import before, namespace
from ascendopt.analysis.rules.rule import Context, Rule

OFF = ("SetMaskNorm", "ResetMask")


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        if not instance.complete:
            continue
        left_on, hit = _left_on(instance)
        if left_on is None or (hit is None and any(call.name == "SetMaskNorm" for call in instance.of(ApiCall))):
            continue
        effect = f"{hit.name if hit is not None else 'a later call'} takes its mask for a number of elements"
        yield RULE.finding(
            left_on.site,
            f"SetMaskCount without SetMaskNorm behind it: {effect}. Call SetMaskNorm and ResetMask after the block",
            facts={"missing": "SetMaskNorm"},
            related=(Related(hit.site.path, hit.site.span, "takes its mask for a number"),) if hit is not None else (),
            fix=_before(instance, hit) if hit is not None else switched_off(instance, left_on, OFF),
            severity=Severity.WARNING if hit is None else None,
        )


def _before(instance: Instance, hit: ApiCall) -> Fix:
    """Normal mode before the first call that takes it; safe where none behind that relies on counter mode."""
    later = (call for call in instance.of(ApiCall) if call.order > hit.order)
    text = " ".join(f"{namespace(hit)}{name}();" for name in OFF)
    return before(
        hit.site, "end counter mode here", text, safe=not any("false" in call.template_args for call in later)
    )


def _left_on(instance: Instance) -> tuple[ApiCall | None, ApiCall | None]:
    """The SetMaskCount that nothing takes back, and the call that it breaks."""
    read = {id(reading.call): reading for reading in readings(instance)}
    mode: ApiCall | None = None
    for call in instance.of(ApiCall):
        reading = read.get(id(call))
        if call.name == "SetMaskCount":
            mode = call
        elif call.name == "SetMaskNorm" or (reading is not None and _is_simple(reading)):
            mode = None
        elif mode is not None and reading is not None and _sets_its_mask(reading):
            return mode, call
    return mode, None


def _is_simple(reading: Reading) -> bool:
    """The form with a number of elements sets the counter mode itself, and the normal one when it is done."""
    return reading.page.pipe == "V" and reading.count is not None


def _sets_its_mask(reading: Reading) -> bool:
    """True for the mask-and-repeat form, unless ``isSetMask`` is false: that one is meant for the counter mode."""
    call = reading.call
    return reading.mask is not None and reading.repeats is not None and "false" not in call.template_args


RULE = Rule("ASC-MSK001", "counter-mode-left-on", Severity.ERROR, check)
