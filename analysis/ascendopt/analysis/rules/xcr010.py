"""What the scalar unit stores to GM lies in its cache first.

## What it says
A kernel writes to GM with ``SetValue``, copies from the same tensor later, and cleans no cache line.

## Why
The copy engine reads memory, not the cache: it may get the old value.

## Example
```cpp
outGm.SetValue(0, n); .. DataCopy(x, outGm, 8);
```

## Instead
Call ``DataCacheCleanAndInvalid`` on the line of 64 bytes before the copy.

## Source
asc-devkit: DataCacheCleanAndInvalid, functions.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.model import ApiCall, CopyEvent, ScalarAccess
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.rule import Context, Rule

CLEANS = frozenset({"DataCacheCleanAndInvalid", "dcci", "DataCacheCleanAndInvalidImpl"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        calls = instance.of(ApiCall)
        if any(call.name in CLEANS for call in calls):
            continue
        stores: dict[str, ScalarAccess] = {}
        for call in calls:
            if isinstance(call, ScalarAccess):
                if call.name == "SetValue" and call.receiver is not None and call.receiver.memory == "global":
                    stores.setdefault(call.receiver.name, call)
            elif isinstance(call, CopyEvent) and call.direction == "in" and call.args[1].tensor is not None:
                store = stores.get(call.args[1].tensor.name)
                if store is not None:
                    yield RULE.finding(
                        call.site,
                        f"{call.name} reads {call.args[1].text}, which SetValue wrote: the value may still lie in "
                        "the cache of "
                        "the scalar unit. Call DataCacheCleanAndInvalid in between",
                        facts={"operand": call.args[1].text},
                        related=(Related(store.site.path, store.site.span, "written here"),),
                    )
                    break


RULE = Rule("ASC-XCR010", "scalar-store-not-cleaned", Severity.ERROR, check)
