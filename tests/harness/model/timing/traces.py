"""Traces of the published kernels, written by hand: what each core issues, tile by tile.

Records are the JSON of the server's ``replay`` command. Sizes are bytes.
"""

from __future__ import annotations

from typing import Any

Item = dict[str, Any]

TENSOR_BYTES = 8192 * 8192 * 2
"""One operand of the published series: 8192 x 8192 half."""


def load(size: int, *, rows: int = 1, pitch: int = 0, gm: int = 0, **extra: Any) -> Item:
    return {"do": "transfer", "pipe": "MTE2", "rows": rows, "bytes": size, "gm": gm, "pitch": pitch, **extra}


def store(size: int, *, rows: int = 1, pitch: int = 0, gm: int = 1 << 40) -> Item:
    item = {"do": "transfer", "pipe": "MTE3", "rows": rows, "bytes": size, "gm": gm, "pitch": pitch}
    return {**item, "flags": ["gm_write"]}


def vector(op: str, repeats: int, *, dtype: str = "float16", flags: tuple[str, ...] = ()) -> Item:
    return {"do": "instr", "pipe": "V", "op": op, "dtype": dtype, "repeats": repeats, "flags": list(flags)}


def set_flag(source: str, target: str, event: int = 0) -> Item:
    return {"do": "set", "from": source, "to": target, "event": event}


def wait_flag(source: str, target: str, event: int = 0) -> Item:
    return {"do": "wait", "from": source, "to": target, "event": event}


def spread(tiles: int, cores: int) -> list[int]:
    """Tiles of each core when they are dealt out as evenly as possible."""
    return [tiles // cores + (core < tiles % cores) for core in range(cores)]


def trace(per_core: list[int], program_of: Any) -> dict[str, Any]:
    """One program for each distinct tile count; ``program_of(tiles)`` gives its items."""
    counts = sorted(set(per_core))
    return {"cores": [counts.index(n) for n in per_core], "programs": [program_of(n) for n in counts]}


def _binary_tile(size: int, event: int, bypass: bool, conflict: bool) -> list[Item]:
    flags = {"flags": ["l2_bypass"]} if bypass else {}
    return [
        wait_flag("V", "MTE2", event),
        load(size, **flags),
        load(size, gm=1 << 36, **flags),
        set_flag("MTE2", "V", event),
        wait_flag("MTE2", "V", event),
        wait_flag("MTE3", "V", event),
        vector("Add", size // 256, flags=("bank_read_read",) if conflict else ()),
        set_flag("V", "MTE2", event),
        set_flag("V", "MTE3", event),
        wait_flag("V", "MTE3", event),
        store(size),
        set_flag("MTE3", "V", event),
    ]


def add_program(tiles: int, size: int, *, buffers: int = 1, bypass: bool = False, conflict: bool = True) -> list[Item]:
    """z = x + y in tiles of ``size`` bytes: load both, add, store, with ``buffers`` sets of buffers in turn."""
    free = [item for e in range(buffers) for item in (set_flag("V", "MTE2", e), set_flag("MTE3", "V", e))]
    drain = [item for e in range(buffers) for item in (wait_flag("V", "MTE2", e), wait_flag("MTE3", "V", e))]
    body: list[Item] = []
    for turn in range(buffers):
        for item in _binary_tile(size, turn, bypass, conflict):
            body.append({**item, "gm": item["gm"] + turn * size} if "gm" in item else item)
    loop: Item = {"loop": tiles // buffers, "body": body, "gm_step": buffers * size}
    rest = [item for turn in range(tiles % buffers) for item in _binary_tile(size, turn, bypass, conflict)]
    return [*free, loop, *({**i, "gm": i["gm"] + (1 << 30)} if "gm" in i else i for i in rest), *drain]


def scalar_add_program(tiles: int, size: int) -> list[Item]:
    """The scalar version: two reads and a write of UB for each half."""
    elements = size // 2
    body: list[Item] = [
        wait_flag("S", "MTE2"),
        load(size),
        load(size, gm=1 << 36),
        set_flag("MTE2", "S"),
        wait_flag("MTE2", "S"),
        wait_flag("MTE3", "S"),
        {"do": "scalar", "ub_reads": 2 * elements, "ub_writes": elements},
        set_flag("S", "MTE2"),
        set_flag("S", "MTE3"),
        wait_flag("S", "MTE3"),
        store(size),
        set_flag("MTE3", "S"),
    ]
    free = [set_flag("S", "MTE2"), set_flag("MTE3", "S")]
    return [*free, {"loop": tiles, "body": body, "gm_step": size}, wait_flag("S", "MTE2"), wait_flag("MTE3", "S")]


def add_case(case: int) -> dict[str, Any]:
    """The published cases 0 to 6 of the 8192 x 8192 half add."""
    small, large = 8192, 32768
    one = [TENSOR_BYTES // small]
    if case == 0:
        return trace(one, lambda n: scalar_add_program(n, small))
    if case == 1:
        return trace(one, lambda n: add_program(n, small))
    if case == 2:
        return trace(spread(TENSOR_BYTES // small, 48), lambda n: add_program(n, small))
    options: dict[str, Any] = {
        3: {},
        4: {"buffers": 2},
        5: {"buffers": 2, "bypass": True},
        6: {"buffers": 2, "bypass": True, "conflict": False},
    }[case]
    return trace(spread(TENSOR_BYTES // large, 48), lambda n: add_program(n, large, **options))


def copy_program(tiles: int, rows: int, row_bytes: int, pitch: int, **extra: Any) -> list[Item]:
    """Loads only, one after the other, each of ``rows`` rows."""
    step = 0 if extra.get("same_for_all") else rows * max(pitch, row_bytes)
    return [{"loop": tiles, "body": [load(row_bytes, rows=rows, pitch=pitch, **extra)], "gm_step": step}]


def unary_program(tiles: int, size: int, op: str, dtype: str, repeats: int) -> list[Item]:
    """y = op(x), double buffered, one load and one store a tile."""
    body: list[Item] = []
    for e in (0, 1):
        body += [
            wait_flag("V", "MTE2", e),
            load(size, gm=e * size),
            set_flag("MTE2", "V", e),
            wait_flag("MTE2", "V", e),
            wait_flag("MTE3", "V", e),
            vector(op, repeats, dtype=dtype),
            set_flag("V", "MTE2", e),
            set_flag("V", "MTE3", e),
            wait_flag("V", "MTE3", e),
            store(size, gm=(1 << 40) + e * size),
            set_flag("MTE3", "V", e),
        ]
    free = [item for e in (0, 1) for item in (set_flag("V", "MTE2", e), set_flag("MTE3", "V", e))]
    return [*free, {"loop": tiles // 2, "body": body, "gm_step": 2 * size}]
