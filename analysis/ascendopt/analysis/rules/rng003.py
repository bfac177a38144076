"""Fields of DataCopyExtParams have limits.

## What it says
A ``DataCopyPad`` has a ``blockCount`` above 4095, a ``blockLen`` above 2097151 bytes, or a stride above 32 bits.
With the older ``DataCopyParams``, lengths and strides are above 65535.

## Why
The fields of the instruction are 12, 21 and 32 bits wide. A larger value is truncated and another amount is moved.

## Example
```cpp
DataCopyPad(x, xGm, DataCopyExtParams{5000, 64, 0, 0, 0}, pad);  // 904 rows are moved
```

## Instead
Split the copy, or use longer rows. ``blockLen`` and the stride on the GM side count bytes, the stride on the UB
side blocks of 32 bytes.

## Source
asc-devkit: DataCopyPad (GM to UB), table 5.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.limits import excesses
from ascendopt.analysis.rules.rule import Context, Rule

APIS = frozenset({"DataCopyPad"})
LIMITS = {
    "blockCount": 4095,
    "blockLen": 2097151,
    "srcStride": 4294967295,
    "dstStride": 4294967295,
}
# The older structure has the same fields, 16 bits wide.
NARROW = {"blockCount": 4095, "blockLen": 65535, "srcStride": 65535, "dstStride": 65535}


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            if reading.call.name not in APIS:
                continue
            params = reading.argument("dataCopyParams", "intriParams")
            is_narrow = params is not None and params.struct == "DataCopyParams"
            for found in excesses(context, params, NARROW if is_narrow else LIMITS):
                yield RULE.finding(
                    reading.call.site,
                    f"{found.text}. {'Use DataCopyExtParams, or split' if is_narrow else 'Split'} the copy",
                    facts={"api": reading.call.name, **found.facts},
                    related=found.related,
                    case=found.case,
                )
                break


RULE = Rule("ASC-RNG003", "datacopypad-params-range", Severity.ERROR, check, families=frozenset({"A2", "A3", "310B"}))
