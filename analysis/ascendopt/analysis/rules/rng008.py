"""DataCopyPad pads 64-bit elements with 0 only.

## What it says
A ``DataCopyPad`` on 64-bit elements has a padding value other than 0.

## Why
The padding register is 32 bits wide.

## Example
```cpp
DataCopyPadExtParams<int64_t> pad{true, 0, 2, 7};
```

## Instead
Pad with 0, or fill with ``Duplicate`` first.

## Source
asc-devkit: DataCopyPad (GM to UB), constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.readings import readings
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

WIDE = 8


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for reading in readings(instance):
            padding, destination = reading.argument("padParams"), reading.destination
            if padding is None or destination is None or destination.argument.tensor is None:
                continue
            if destination.argument.tensor.element_bytes.constant() != WIDE:
                continue
            value, used = (context.number(padding.field(name)) for name in ("paddingValue", "isPad"))
            if value and used:
                yield RULE.finding(
                    reading.call.site,
                    f"paddingValue {value} on {destination.dtype}: only 0 can be padded into 64-bit elements"
                    ". Pad with 0, or fill with Duplicate first",
                    facts={"value": value, "dtype": destination.dtype},
                    related=context.host_side(padding.field("paddingValue")),
                    case=context.case_of(padding.field("paddingValue")),
                )


RULE = Rule("ASC-RNG008", "datacopypad-wide-padding-value", Severity.ERROR, check)
