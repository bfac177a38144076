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

from ascendopt.analysis.facts.declared import Argument
from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.extent import room
from ascendopt.analysis.rules.launch import most_blocks
from ascendopt.analysis.rules.rule import Context, Rule

EACH = 32


def check(context: Context) -> Iterator[Finding]:
    most = most_blocks(context)
    for instance in context.instances():
        for call in instance.of(ApiCall):
            if call.name != "SyncAll" or not call.args or call.args[0].tensor is None:
                continue
            said = context.number(call.args[2].value) if len(call.args) > 2 else None
            blocks = said or most
            for argument in call.args[:2] if blocks is not None else ():
                held = _bytes(context, instance, argument)
                if blocks is not None and held is not None and held < blocks * EACH:
                    yield _finding(call, argument, blocks, held)
                    break


def _bytes(context: Context, instance: Instance, argument: Argument) -> int | None:
    """How long a workspace is: by what SetGlobalBuffer said, or the buffer that it lies in."""
    tensor = argument.tensor
    if tensor is None:
        return None
    if tensor.memory == "local":
        found = room(context, instance, tensor)
        return found.bytes if found is not None else None
    elements, each = context.number(tensor.length), tensor.element_bytes.constant()
    return elements * each if elements is not None and each else None


def _finding(call: ApiCall, argument: Argument, blocks: int, held: int) -> Finding:
    return RULE.finding(
        call.site,
        f"SyncAll of {blocks} blocks needs {blocks * EACH} bytes and {argument.text} has {held}: the last blocks find "
        "no place, and the others wait for ever",
        facts={"needed_bytes": blocks * EACH, "limit_bytes": held, "blocks": blocks},
    )


RULE = Rule("ASC-XCR001", "syncall-workspace", Severity.ERROR, check)
