"""SyncAll by software needs 32 bytes for each block.

## What it says
``SyncAll`` with workspaces has one that is smaller than 32 bytes for each block.

## Why
The blocks write their marks there: those of the last ones lie outside, and the others wait for ever.

## Example
```cpp
syncGm.SetGlobalBuffer((__gm__ int32_t*)ws, 64); SyncAll(syncGm, sync);  // 256 bytes, 48 blocks
```

## Instead
Take ``GetBlockNum() * 32`` bytes for both, and clear the one in GM on the host.

## Source
asc-devkit: SyncAll, constraints of the software form.
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
        for call in instance.of(ApiCall):
            if call.name != "SyncAll" or not call.args or call.args[0].tensor is None:
                continue
            tensor = call.args[0].tensor
            elements, each = context.number(tensor.length), tensor.element_bytes.constant()
            if elements is not None and each and elements * each < blocks * EACH:
                yield RULE.finding(
                    call.site,
                    f"SyncAll of {blocks} blocks needs {blocks * EACH} bytes and {call.args[0].text} has "
                    f"{elements * each}: "
                    "the last blocks find no place, and the others wait for ever",
                    facts={"needed_bytes": blocks * EACH, "limit_bytes": elements * each, "blocks": blocks},
                )


RULE = Rule("ASC-XCR001", "syncall-workspace", Severity.ERROR, check)
