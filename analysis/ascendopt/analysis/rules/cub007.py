"""Fixpipe splits channels of float only.

## What it says
A ``Fixpipe`` with ``isChannelSplit`` writes another type than ``float``, or one of ``int4b_t`` has columns that are
no multiple of 64.

## Why
The unit has no such mode.

## Example
```cpp
move.isChannelSplit = true; Fixpipe(halfGm, c, move);
```

## Instead
Write ``float``, or leave the split out.

## Source
asc-devkit: architecture 2201, Fixpipe.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule

INT4_COLUMNS = 64


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for call in instance.of(ApiCall):
            if call.name != "Fixpipe" or len(call.args) < 3:
                continue
            target, params = call.args[0].tensor, call.args[2]
            if target is None or target.element is None:
                continue
            columns = context.number(params.field("nSize"))
            if context.number(params.field("isChannelSplit")) and target.element != "float":
                why = f"isChannelSplit into {target.element}: only float is split. Write float, or leave it out"
                title, field, text = "no channel split", "isChannelSplit", "false"
            elif target.element == "int4b_t" and columns is not None and columns % INT4_COLUMNS:
                whole = -(-columns // INT4_COLUMNS) * INT4_COLUMNS
                why = f"{columns} columns of int4b_t are no multiple of {INT4_COLUMNS}. Pad nSize to {whole}"
                title, field, text = f"{whole} columns (the target needs that room)", "nSize", str(whole)
            else:
                continue
            fix = edits.fix(title, edits.field(context, instance, call, params, field, text), safe=False, of_run=True)
            yield RULE.finding(call.site, f"Fixpipe: {why}", facts={"dtype": target.element}, fix=fix)


RULE = Rule("ASC-CUB007", "fixpipe-channel-split", Severity.ERROR, check, families=frozenset({"A2", "A3", "950"}))
