"""Atomic stores are switched off again.

## What it says
``SetAtomicAdd``, ``SetAtomicMax`` or ``SetAtomicMin`` is not followed by ``SetAtomicNone`` or ``DisableDmaAtomic``.

## Why
The mode stays on for every later store of the core: what should overwrite is added to what was there.

## Example
```cpp
SetAtomicAdd<float>();
DataCopy(sumGm, part, n);
DataCopy(rowGm, part, n);  // is added, too
```

## Instead
Call ``SetAtomicNone`` right after the accumulating copy.

## Source
asc-devkit: DisableDmaAtomic, functions.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.model import ApiCall, CopyEvent, Instance
from ascendopt.analysis.findings import Finding, Fix, Related, Severity
from ascendopt.analysis.rules.repair import behind, namespace, together
from ascendopt.analysis.rules.rule import Context, Rule

ON = frozenset({"SetAtomicAdd", "SetAtomicMax", "SetAtomicMin", "SetAtomicType"})
OFF = frozenset({"SetAtomicNone", "DisableDmaAtomic"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        if not instance.complete:
            continue
        switches = [call for call in instance.of(ApiCall) if call.name in ON | OFF]
        for index, call in enumerate(switches):
            if call.name in ON and not any(later.name in OFF for later in switches[index + 1 :]):
                yield _left_on(instance, call)
                break


def _left_on(instance: Instance, switch: ApiCall) -> Finding:
    stores = [copy for copy in instance.of(CopyEvent) if copy.order > switch.order and copy.direction == "out"]
    other = next((copy for copy in stores[1:] if copy.args[0].text != stores[0].args[0].text), None)
    also = f": the later {other.name} to {other.args[0].text} accumulates as well" if other is not None else ""
    return RULE.finding(
        switch.site,
        f"{switch.name} is never switched off{also}. Call SetAtomicNone or DisableDmaAtomic after the accumulating "
        "copy",
        facts={"api": switch.name, "accumulates": other.args[0].text if other is not None else None},
        related=() if other is None else (Related(other.site.path, other.site.span, "accumulates as well"),),
        fix=_fix(switch, stores),
    )


def _fix(switch: ApiCall, stores: list[CopyEvent]) -> Fix | None:
    """Off behind the one store that is to add; which of several are is for a person to say."""
    if not stores or not together(switch, stores[0]):
        return None
    return behind(
        stores[0].site, "switch atomic stores off", f"{namespace(switch)}SetAtomicNone()", safe=len(stores) == 1
    )


RULE = Rule("ASC-ATM001", "atomic-left-on", Severity.ERROR, check)
