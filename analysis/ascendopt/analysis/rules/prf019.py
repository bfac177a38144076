"""A product is cheaper than a quotient.

## What it says
A ``Div`` has a divisor that ``Duplicate`` filled with one number.

## Why
``Div`` takes three to six cycles for 256 bytes, ``Muls`` one, and the divisor takes a buffer.

## Example
```cpp
Duplicate(d, scale, n); Div(y, x, d, n);
```

## Instead
``Muls(y, x, 1 / scale, n)``; it rounds once more, so compare the results.

## Source
instruction tables of msKPP: vdiv, vmuls.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import TensorFact
from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Fix, Related, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.repair import together
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        filled: dict[tuple[int, str], ApiCall] = {}
        for call in instance.of(ApiCall):
            written = _written(call)
            if call.name == "Div" and len(call.args) >= 4:
                divisor = call.args[2].tensor
                source = filled.get(_key(divisor)) if divisor is not None and divisor.handle is not None else None
                if source is not None:
                    yield RULE.finding(
                        call.site,
                        f"Div by {call.args[2].text}, which Duplicate fills with {source.args[1].text}: Muls by its "
                        "reciprocal is three to six times as fast and needs no buffer",
                        facts={"divisor": source.args[1].text},
                        related=(Related(source.site.path, source.site.span, "filled here"),),
                        fix=_fix(call, source),
                    )
            if written is not None and written.handle is not None:
                filled.pop(_key(written), None)
                if call.name == "Duplicate":
                    filled[_key(written)] = call


def _fix(division: ApiCall, filled: ApiCall) -> Fix | None:
    """Muls by the reciprocal; unsafe, because it rounds once more."""
    tensor, count = division.args[0].tensor, division.args[3]
    if tensor is None or tensor.element not in ("half", "float") or len(division.args) != 4 or count.value is None:
        return None
    if not together(division, filled):
        return None
    reciprocal = f"static_cast<{tensor.element}>(1.0f / static_cast<float>({filled.args[1].text}))"
    places = (edits.name(division, "Muls"), edits.argument(division, division.args[2], reciprocal))
    return edits.fix("multiply by the reciprocal", *places, safe=False, of_run=True)


def _written(call: ApiCall) -> TensorFact | None:
    return call.args[0].tensor if call.args else None


def _key(tensor: TensorFact) -> tuple[int, str]:
    return (tensor.handle or 0, tensor.offset.text if tensor.offset is not None else "?")


RULE = Rule("ASC-PRF019", "divide-by-a-constant", Severity.PERF, check)
