"""A buffer takes whole blocks of 32 bytes.

## What it says
An ``InitBuffer`` asks for a length that is no multiple of 32 bytes.

## Why
The length is rounded up: a budget that adds up what was written comes out too small.

## Example
```cpp
pipe.InitBuffer(queue, 2, 100);  // takes 256 bytes
```

## Instead
Write the rounded length.

## Source
asc-devkit: InitBuffer, parameter len.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import InitBufferEvent
from ascendopt.analysis.findings import Finding, Severity, TextEdit
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule

BLOCK = 32


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for event in instance.of(InitBufferEvent):
            length = event.length.constant()
            if length is None or length % BLOCK == 0:
                continue
            whole = -(-length // BLOCK) * BLOCK
            yield RULE.finding(
                event.site,
                f"{length} bytes take {whole}: lengths are rounded up to {BLOCK} bytes",
                facts={"bytes": length, "rounded_bytes": whole},
                fix=edits.fix("write the rounded length", _whole(event), safe=True),
            )


def _whole(event: InitBufferEvent) -> TextEdit:
    return TextEdit(event.site.path, event.length_span, edits.rounded_up(event.length_text, BLOCK))


RULE = Rule("ASC-ALN010", "initbuffer-rounds-up", Severity.INFO, check)
