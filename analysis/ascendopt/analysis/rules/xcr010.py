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

from ascendopt.analysis.apis import known_on
from ascendopt.analysis.facts.events import ApiCall, CopyEvent, ScalarAccess
from ascendopt.analysis.findings import Finding, Fix, Related, Severity, TextEdit
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.repair import ahead, namespace
from ascendopt.analysis.rules.rule import Context, Rule

WITHOUT_TARGET = frozenset({"310P"})  # only GM is cleaned there, and nothing says so
CLEANS = frozenset({"DataCacheCleanAndInvalid", "dcci", "DataCacheCleanAndInvalidImpl"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        calls = instance.of(ApiCall)
        if any(call.name in CLEANS for call in calls):
            continue
        copies = list(_copies_of_stores(calls))
        if copies:
            copy, store = copies[0]
            operand = copy.args[1].text
            yield RULE.finding(
                copy.site,
                f"{copy.name} reads {operand}, which SetValue wrote: the value may still lie in the cache of "
                "the scalar unit. Call DataCacheCleanAndInvalid in between",
                facts={"operand": operand},
                related=(Related(store.site.path, store.site.span, "written here"),),
                fix=_fix(context.chip.family, [copy for copy, _ in copies]),
            )


def _copies_of_stores(calls: list[ApiCall]) -> Iterator[tuple[CopyEvent, ScalarAccess]]:
    stores: dict[str, ScalarAccess] = {}
    for call in calls:
        if isinstance(call, ScalarAccess):
            if call.name == "SetValue" and call.receiver is not None and call.receiver.memory == "global":
                stores.setdefault(call.receiver.name, call)
        elif isinstance(call, CopyEvent) and call.direction == "in" and call.args[1].tensor is not None:
            store = stores.get(call.args[1].tensor.name)
            if store is not None:
                yield call, store


def _fix(family: str, copies: list[CopyEvent]) -> Fix | None:
    """The whole cache cleaned before each of the copies: it holds for all stores before it, on whatever line."""
    if not known_on("DataCacheCleanAndInvalid", family):
        return None
    places = dict.fromkeys(_clean(family, copy) for copy in copies)
    return edits.fix("clean the cache before the copy", *places, safe=True, of_run=True)


def _clean(family: str, copy: CopyEvent) -> TextEdit | None:
    scope, tensor = namespace(copy), copy.args[1].tensor
    if tensor is None or tensor.element is None:
        return None
    target = "" if family in WITHOUT_TARGET else f", {scope}DcciDst::CACHELINE_OUT"
    how = f"{tensor.element}, {scope}CacheLine::ENTIRE_DATA_CACHE{target}"
    return ahead(copy.site, f"{scope}DataCacheCleanAndInvalid<{how}>({copy.args[1].text});")


RULE = Rule("ASC-XCR010", "scalar-store-not-cleaned", Severity.ERROR, check)
