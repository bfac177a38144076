"""The scalar unit does not calculate in half.

## What it says
Two values of type ``half`` or ``bfloat16_t`` are added, subtracted, multiplied or divided by scalar code.

## Why
The compiler refuses it in an ``__aicore__`` function: the scalar unit has no such arithmetic.

## Example
```cpp
half both = x.GetValue(0) + x.GetValue(1);
```

## Instead
Convert to ``float`` first, or use a vector call.

## Source
asc-devkit: scalar data types of the device side.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ScalarAccess, ScalarMath
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Finding, Fix, Severity, Span, TextEdit
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule

NARROW = frozenset({"half", "bfloat16_t"})
ARITHMETIC = frozenset({"+", "-", "*", "/"})


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for event in instance.of(ScalarMath):
            if event.element in NARROW and event.operator in ARITHMETIC:
                yield RULE.finding(
                    event.site,
                    f"scalar arithmetic on {event.element} is not allowed in an __aicore__ function: GetValue of "
                    f"{event.element} is an operand of '{event.operator}'. Convert to float first, or use a vector "
                    "call",
                    facts={"dtype": event.element, "operator": event.operator},
                    fix=_fix(instance, event),
                )


def _fix(instance: Instance, math: ScalarMath) -> Fix | None:
    """Both operands converted to float, where each is a GetValue that stands there itself."""
    reads = [
        access.site
        for access in instance.of(ScalarAccess)
        if access.name == "GetValue" and access.receiver is not None and access.receiver.element in NARROW
        if access.site.path == math.site.path and _holds(math.site.span, access.site.span)
    ]
    reads.sort(key=lambda site: site.span)
    if len(reads) != 2 or (reads[0].span.start, reads[1].span.end) != (math.site.span.start, math.site.span.end):
        return None
    convert = "ToFloat(" if math.element == "bfloat16_t" else "static_cast<float>("
    edges = (
        TextEdit(site.path, Span(at, at), text)
        for site in dict.fromkeys(reads)
        for at, text in ((site.span.start, convert), (site.span.end, ")"))
    )
    return edits.fix("calculate in float", *edges, safe=False, of_run=True)


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


RULE = Rule("ASC-MIS010", "half-scalar-arithmetic", Severity.ERROR, check)
