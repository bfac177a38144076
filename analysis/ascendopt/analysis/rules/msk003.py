"""A mask that is set by hand is for calls that leave it alone.

## What it says
``SetVectorMask`` is called and no vector call has ``isSetMask`` false.

## Why
Every other call sets its own mask first: the setting has no effect.

## Example
```cpp
SetVectorMask<half>(0, 0xff); Add(z, x, y, 64, 4, params);
```

## Instead
Pass ``false`` as ``isSetMask``, or remove the call.

## Source
asc-devkit: SetVectorMask, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.repair import removed
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        calls = instance.of(ApiCall)
        sets = [call for call in calls if call.name == "SetVectorMask"]
        if not sets or not instance.complete:
            continue
        # The register also selects in Compare and in intrinsics, whose names begin in lower case.
        if not any("false" in call.template_args or call.name[:1] == "v" or call.name == "Compare" for call in calls):
            yield RULE.finding(
                sets[0].site,
                "SetVectorMask has no effect: every vector call here sets its own mask. Pass isSetMask = false, "
                "or remove it",
                facts={"api": "SetVectorMask"},
                fix=edits.fix(
                    "remove it",
                    *(removed(site) for site in dict.fromkeys(call.site for call in sets)),
                    safe=True,
                    of_run=True,
                ),
            )


RULE = Rule("ASC-MSK003", "mask-without-effect", Severity.WARNING, check)
