"""Fields of DataCopyParams have limits.

## What it says
A strided ``DataCopy`` has a ``blockCount`` above 4095, or a ``blockLen``, ``srcGap`` or ``dstGap`` above 65535
(lengths and gaps are counted in blocks of 32 bytes).

## Why
The fields are 12 and 16 bits of the instruction. A larger value is truncated and another amount is moved.

## Example
```cpp
DataCopy(x, xGm, {5000, 1, 15, 0});  // 5000 rows: 904 are moved
```

## Instead
Split the copy, or use longer blocks.

## Source
asc-devkit: DataCopy (strided copy between GM and UB), table 8.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import CopyEvent
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

LIMITS = {
    "blockCount": 4095,
    "blockLen": 65535,
    "srcGap": 65535,
    "dstGap": 65535,
    "srcStride": 65535,
    "dstStride": 65535,
}


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for copy in instance.of(CopyEvent):
            if copy.name != "DataCopy" or copy.params is None:
                continue
            for name, value in copy.params.fields:
                limit = LIMITS.get(name)
                number = context.number(value)
                least = number if number is not None else value.lower_bound()
                if limit is None or least is None or least <= limit:
                    continue
                yield RULE.finding(
                    copy.site,
                    f"{name} {least} is above {limit}: the field of the instruction is "
                    f"{(limit + 1).bit_length() - 1} bits and keeps {least % (limit + 1)}. Split the copy",
                    facts={"field": name, "value": least, "limit": limit, "kept": least % (limit + 1)},
                    related=context.host_side(value) if number is not None else (),
                    case=context.case_of(value) if number is not None else None,
                )
                break


RULE = Rule("ASC-RNG001", "datacopy-params-range", Severity.ERROR, check)
