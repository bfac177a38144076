"""The UB side of a DataCopyPad strides at most 65535 blocks on 950.

## What it says
A ``DataCopyPad`` on 950 has a stride on its UB side above 65535 blocks of 32 bytes.

## Why
The field is 16 bits wide there. A larger stride is truncated and the rows land on each other.

## Example
```cpp
DataCopyPad(x, xGm, DataCopyExtParams{2, 64, 0, 70000, 0}, pad);  // --soc Ascend950
```

## Instead
Split the copy into rows.

## Source
asc-devkit: DataCopyPad (GM to UB), note under table 5.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.limits import excesses
from ascendopt.analysis.rules.rule import Context, Rule

APIS = frozenset({"DataCopyPad"})
LIMIT = 65535


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            if reading.call.name not in APIS or reading.destination is None:
                continue
            side = "dstStride" if reading.parameters[0].kind == "local" else "srcStride"
            for found in excesses(context, reading.argument("dataCopyParams", "intriParams"), {side: LIMIT}):
                yield RULE.finding(
                    reading.call.site,
                    f"{found.text}. Copy the rows one by one",
                    facts={"api": reading.call.name, **found.facts},
                    related=found.related,
                    case=found.case,
                )
                break


RULE = Rule("ASC-RNG004", "datacopypad-stride-range-950", Severity.ERROR, check, families=frozenset({"950"}))
