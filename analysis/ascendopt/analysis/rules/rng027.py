"""A product of 32 bits wraps around.

## What it says
A product that goes into a 32-bit variable is above what 32 bits hold, for the largest shape that the host lets
through or the last core that it starts.

## Why
The multiplication is done in 32 bits and keeps the low ones: an offset wraps, and the copy reads or writes somewhere
else in global memory.

## Example
```cpp
int32_t at = token * heads * dim;  // 16384 * 128 * 1024 = 2147483648
```

## Instead
Widen one factor first: ``static_cast<uint64_t>(token) * heads * dim``.

## Source
C++ standard, usual arithmetic conversions; asc-devkit: GlobalTensor takes offsets of 64 bits.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import StoreEvent
from ascendopt.analysis.findings import Finding, Fix, Severity, TextEdit
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.launch import fewest_blocks
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.values import Value, number, substitute, symbol

GREATEST = {"int32_t": 2**31 - 1, "uint32_t": 2**32 - 1}
WIDER = {"int32_t": "int64_t", "uint32_t": "uint64_t"}
FACTOR = r"(?:static_cast<[\w:]+>\((?:[^()]|\(\))*\)|[\w.]+(?:\(\))?)"
BLOCK_INDEX = "block_idx"


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for store in instance.of(StoreEvent):
            limit = GREATEST.get(store.dtype)
            most = _greatest(context, store) if limit is not None and store.is_certain else None
            if limit is not None and most is not None and most > limit:
                yield RULE.finding(
                    store.site,
                    f"the product {store.text} of {store.dtype} reaches {most}, above {limit}: it wraps around, and "
                    "what it addresses lies elsewhere. Widen one factor to int64_t or uint64_t before multiplying",
                    facts={"variable": store.name, "value": most, "limit": limit, "dtype": store.dtype},
                    fix=_fix(store),
                )


def _fix(store: StoreEvent) -> Fix | None:
    """The variable and the first factor in 64 bits; unsafe, because other code may rely on the type."""
    wide, path, span = WIDER[store.dtype], store.site.path, store.site.span
    kind = TextEdit(path, span, wide, rf"\b({store.dtype})\s+{store.name}\s*=")
    factor = TextEdit(path, span, rf"static_cast<{wide}>(\1)", rf"\b{store.name}\s*=\s*({FACTOR})\s*\*")
    return edits.fix(f"multiply in {wide}", kind, factor, safe=False)


def _greatest(context: Context, store: StoreEvent) -> int | None:
    """The greatest value of the product: from the loops around it, the cores, and what the host lets through."""
    known = _limits(context)
    value = _within(context, store.value, known)
    for step in reversed(store.loops):
        loop = step.loop
        if loop.loop_symbol in value.symbols() and loop.last is not None:
            last = _within(context, loop.last, known).upper_bound()
            known[loop.loop_symbol] = symbol(loop.loop_symbol, 0, last)
            value = _within(context, value, known)
    return value.upper_bound()


def _within(context: Context, value: Value, known: dict[str, Value]) -> Value:
    linked = context.linked(value)
    return substitute(linked, known) or linked


def _limits(context: Context) -> dict[str, Value]:
    tiling = context.facts.tiling if context.facts is not None else None
    if tiling is None:
        return {}
    known = {name: symbol(name, known.lo, known.hi) for name, known in tiling.bounds.items()}
    calls = tiling.calls_of("SetBlockDim")
    blocks = fewest_blocks(context, calls[0]) if len(calls) == 1 else None
    if blocks is not None and blocks > 0:
        known[BLOCK_INDEX] = symbol(BLOCK_INDEX, 0, blocks - 1) if blocks > 1 else number(0)
    return known


RULE = Rule("ASC-RNG027", "product-wraps", Severity.ERROR, check)
