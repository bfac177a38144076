"""MrgSort is told which lists it has.

## What it says
A ``MrgSort`` has a ``validBit`` that does not fit its lengths, or repeats over lists of different lengths.

## Why
A list that is named and empty, or full and not named, gives a result that is not defined.

## Example
```cpp
MrgSort4Info info{lengths, false, 15, 1};  // lengths {32, 32, 0, 0}
```

## Instead
3 is two lists, 7 three, 15 four.

## Source
asc-devkit: MrgSort, parameters.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for call in instance.of(ApiCall):
            params = next((argument for argument in call.args if argument.struct == "MrgSort4Info"), None)
            if call.name != "MrgSort" or params is None:
                continue
            lengths = [context.number(params.field(f"elementLengths[{index}]")) for index in range(4)]
            valid, repeats = (context.number(params.field(name)) for name in ("validBit", "repeatTimes"))
            if None in lengths or valid is None:
                continue
            filled = sum(1 << index for index, length in enumerate(lengths) if length)
            if filled != valid:
                yield RULE.finding(
                    call.site,
                    f"validBit {valid} of MrgSort, and the lengths {lengths} fill the lists of {filled}: the result is "
                    f"not defined. Use validBit {filled} (3 is two lists, 7 three, 15 four), or mend the lengths",
                    facts={"validBit": valid, "filled": filled},
                    fix=edits.fix(
                        f"validBit {filled}",
                        edits.field(context, instance, call, params, "validBit", str(filled)),
                        safe=False,
                    ),
                )
            elif repeats is not None and repeats > 1 and len({length for length in lengths if length}) > 1:
                yield RULE.finding(
                    call.site,
                    f"MrgSort repeats {repeats} times over lists of different lengths {lengths}: they have to be "
                    "equal. Set repeatTimes to 1 and call it for each group of lists",
                    facts={"repeats": repeats},
                )


RULE = Rule("ASC-MIS005", "mrgsort-valid-lists", Severity.ERROR, check, families=frozenset({"A2", "A3", "950", "310B"}))
