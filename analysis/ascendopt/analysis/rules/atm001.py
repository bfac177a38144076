"""Atomic stores are switched off again.

## What it says
``SetAtomicAdd``, ``SetAtomicMax`` or ``SetAtomicMin`` is not followed by ``SetAtomicNone`` or ``DisableDmaAtomic``,
or only on some paths to another store.

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

from ascendopt.analysis.facts.events import ApiCall, ArmStep, CopyEvent
from ascendopt.analysis.facts.model import Instance
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
            if call.name not in ON:
                continue
            off = [later for later in switches[index + 1 :] if later.name in OFF]
            if not off:
                yield _left_on(instance, call)
                break
            yield from _left_on_at_times(instance, call, off)


def _left_on_at_times(instance: Instance, switch: ApiCall, off: list[ApiCall]) -> Iterator[Finding]:
    """Switched off in one arm of a branch alone, and another tensor is stored to behind it, in all arms."""
    nearest = off[0]
    arms = [step for step in nearest.path if isinstance(step, ArmStep)]
    if nearest.path[: len(switch.path)] != switch.path or len(nearest.path) != len(switch.path) + 1 or not arms:
        return
    branch = arms[-1]
    known = branch.condition is not None and branch.condition.is_known
    if nearest.path[-1] is not branch or not known or any(_is_beside(other, branch) for other in off[1:]):
        return
    stores = [copy for copy in instance.of(CopyEvent) if copy.direction == "out" and copy.path == switch.path]
    added = [copy for copy in stores if switch.order < copy.order < nearest.order]
    again = min((other.order for other in off[1:] if other.path == switch.path), default=None)
    for copy in stores:
        if copy.order < nearest.order or (again is not None and again < copy.order):
            continue
        if added and copy.args[0].text not in {one.args[0].text for one in added}:
            yield RULE.finding(
                switch.site,
                f"{switch.name} is switched off on some paths only: on the others the later {copy.name} to "
                f"{copy.args[0].text} accumulates as well. Call SetAtomicNone or DisableDmaAtomic on every path, right "
                "after the accumulating copy",
                facts={"api": switch.name, "accumulates": copy.args[0].text},
                related=(
                    Related(nearest.site.path, nearest.site.span, "switched off here, under a condition"),
                    Related(copy.site.path, copy.site.span, "accumulates as well"),
                ),
            )
            return


def _is_beside(call: ApiCall, arm: ArmStep) -> bool:
    """True for a call in another arm of the same branch."""
    return any(isinstance(step, ArmStep) and step.branch is arm.branch and step.arm != arm.arm for step in call.path)


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
