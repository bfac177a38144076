"""Atomic stores add certain types.

## What it says
``SetAtomicAdd``, ``SetAtomicMax`` or ``SetAtomicMin`` is called for a type that the store unit does not know.

## Why
The unit adds float, half, int16, int32, int8 and bfloat16, fewer on older chips. Another type is not supported.

## Example
```cpp
SetAtomicAdd<int64_t>();
```

## Instead
Accumulate in one of these types.

## Source
asc-devkit: SetAtomicAdd, template parameter T.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Fix, Severity, TextEdit
from ascendopt.analysis.operators.names import TYPE_BYTES
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule

KNOWN = frozenset({"float", "half", "int16_t", "int32_t", "int8_t", "bfloat16_t"})
OLDER = {"910": frozenset({"float"}), "310P": frozenset({"float", "half", "int16_t"})}
BYTE = "uint8_t"
SWITCHES = frozenset({"SetAtomicAdd", "SetAtomicMax", "SetAtomicMin"})


def check(context: Context) -> Iterator[Finding]:
    allowed = OLDER.get(context.chip.family, KNOWN)
    for instance in context.instances():
        for call in instance.of(ApiCall):
            dtype = call.template_args[0] if call.name in SWITCHES and call.template_args else None
            if dtype in TYPE_BYTES and dtype not in allowed:
                yield RULE.finding(
                    call.site,
                    f"{call.name} has no {dtype} on {context.chip.name}: it adds {', '.join(sorted(allowed))}",
                    facts={"api": call.name, "dtype": dtype},
                    fix=_fix(call)
                    if call.name == "SetAtomicAdd" and (dtype, "int8_t" in allowed) == (BYTE, True)
                    else None,
                    # The switch then leaves the type that was set before: an addition of int8_t is one of uint8_t.
                    severity=Severity.WARNING if dtype == BYTE and "int8_t" in allowed else None,
                )


def _fix(call: ApiCall) -> Fix | None:
    """A sum of bytes has the same bits with and without sign."""
    kind = TextEdit(call.site.path, call.site.span, "int8_t", r"\bSetAtomicAdd\s*<\s*(uint8_t)\s*>")
    return edits.fix("add int8_t", kind, safe=False)


RULE = Rule("ASC-ATM004", "atomic-type", Severity.ERROR, check)
