"""GatherMask ends counter mode.

## What it says
A ``GatherMask`` runs in counter mode and calls behind it rely on that mode.

## Why
It switches to normal mode and leaves it there: the calls behind it take the count for a mask.

## Example
```cpp
SetMaskCount(); GatherMask(..); Add<half, false>(..);
```

## Instead
Call ``SetMaskCount`` again after it.

## Source
asc-devkit: GatherMask, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.repair import before, namespace
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        counting = False
        ended: ApiCall | None = None
        for call in instance.of(ApiCall):
            if call.name in ("SetMaskCount", "SetMaskNorm"):
                counting, ended = call.name == "SetMaskCount", None
            elif call.name == "GatherMask" and counting:
                counting, ended = False, call
            elif ended is not None and "false" in call.template_args and call.path[: len(ended.path)] == ended.path:
                yield RULE.finding(
                    call.site,
                    f"{call.name} relies on counter mode, which the GatherMask before it ended. Call SetMaskCount "
                    "again",
                    facts={"api": call.name},
                    related=(Related(ended.site.path, ended.site.span, "ends counter mode"),),
                    fix=before(call.site, "count again", f"{namespace(call)}SetMaskCount();", safe=True),
                )
                ended = None


RULE = Rule("ASC-MSK004", "gathermask-ends-counter-mode", Severity.ERROR, check)
