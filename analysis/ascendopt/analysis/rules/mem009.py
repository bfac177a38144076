"""Tensors placed by hand start from a known state.

## What it says
A kernel without a ``TPipe`` places its tensors by address and does not call ``InitSocState``.

## Why
Atomic mode and masks are what the kernel before left behind.

## Example
```cpp
LocalTensor<half> x(TPosition::VECIN, 0, 1024);  // and no TPipe
```

## Instead
Call ``InitSocState()`` first.

## Source
asc-devkit: InitSocState, functions.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.apis import known_on
from ascendopt.analysis.facts.events import ApiCall, InitBufferEvent, PipeEvent, ScalarAccess
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Finding, Fix, Severity
from ascendopt.analysis.rules.repair import before, namespace
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        if instance.is_synthetic or not instance.complete or instance.of(PipeEvent) or instance.of(InitBufferEvent):
            continue
        calls = [call for call in instance.of(ApiCall) if not isinstance(call, ScalarAccess)]
        works = [call for call in calls if any(a.tensor is not None and a.tensor.memory == "local" for a in call.args)]
        if works and not any(call.name == "InitSocState" for call in calls):
            yield RULE.finding(
                works[0].site,
                f"{works[0].name} in a kernel without a TPipe and without InitSocState: atomic mode and masks are "
                "what the "
                "kernel before left behind. Call InitSocState() first",
                facts={"missing": "InitSocState"},
                fix=_fix(instance, works[0]) if known_on("InitSocState", context.chip.family) else None,
            )


def _fix(instance: Instance, first: ApiCall) -> Fix | None:
    """The call before the first work, where that runs once and nothing was switched on before."""
    earlier = (call for call in instance.of(ApiCall) if call.order < first.order and not call.receiver)
    again = sum(call.site == first.site for call in instance.of(ApiCall)) > 1
    if again or first.path or any(call.name.startswith(("Set", "set_")) and not call.receiver_text for call in earlier):
        return None
    return before(first.site, "start from a known state", f"{namespace(first)}InitSocState();", safe=True)


RULE = Rule("ASC-MEM009", "no-initial-state", Severity.WARNING, check)
