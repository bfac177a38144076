"""IBSet needs a place for each core and event.

## What it says
The workspace of ``IBSet`` or ``IBWait`` is smaller than its marks.

## Why
A mark that lies outside is never seen, and the other core waits for ever.

## Example
```cpp
flagGm.SetGlobalBuffer((__gm__ int32_t*)ws, 64); IBSet(flagGm, sync, 0, 1);
```

## Instead
Take blocks x 32 x (greatest event + 1) + (last block) x 32 + 32 bytes, cleared on the host, with the same arguments
on both sides.

## Source
asc-devkit: IBSet, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.launch import most_blocks
from ascendopt.analysis.rules.rule import Context, Rule

EACH = 32


def check(context: Context) -> Iterator[Finding]:
    blocks = most_blocks(context)
    if blocks is None:
        return
    for instance in context.instances():
        calls = [call for call in instance.of(ApiCall) if call.name in ("IBSet", "IBWait") and len(call.args) >= 4]
        events = [context.number(call.args[3].value) for call in calls]
        greatest = max((event for event in events if event is not None), default=None)
        for call in calls:
            tensor = call.args[0].tensor
            if tensor is None or greatest is None:
                continue
            elements, each = context.number(tensor.length), tensor.element_bytes.constant()
            needed = blocks * EACH * greatest + (blocks - 1) * EACH + EACH
            if elements is not None and each and elements * each < needed:
                yield RULE.finding(
                    call.site,
                    f"{call.name} of {blocks} blocks and events up to {greatest} needs {needed} bytes and "
                    f"{call.args[0].text} has {elements * each}"
                    ". Take that many, cleared on the host",
                    facts={"needed_bytes": needed, "limit_bytes": elements * each, "blocks": blocks},
                )
                break


RULE = Rule("ASC-XCR008", "ibset-workspace", Severity.ERROR, check)
