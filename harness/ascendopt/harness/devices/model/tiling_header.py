"""The kernel's view of the tiling data: a generated header, and the way back from bytes to values.

The host object describes its tiling structs (``describe`` in the native protocol). The kernel needs plain
structs with exactly that layout: scalars and arrays at their natural alignment, nested structs at 8 bytes,
every size a multiple of 8. The header checks each offset at compile time. Structs of the toolkit that an
operator puts into its own (TCubeTiling) come from the kernel API; the checks hold for them too.
"""

from __future__ import annotations

import hashlib
import re
import struct as struct_module
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import cast

from ascendopt.harness.devices.base import TilingValue
from ascendopt.harness.devices.model.toolchain import NATIVE

_FORMATS = {
    "bool": "?",
    "int8_t": "b",
    "uint8_t": "B",
    "int16_t": "h",
    "uint16_t": "H",
    "int32_t": "i",
    "uint32_t": "I",
    "int64_t": "q",
    "uint64_t": "Q",
    "float": "f",
    "double": "d",
}


@dataclass(frozen=True)
class TilingField:
    """One field: ``type`` is a C type, ``count`` None unless it is an array, ``struct`` a nested struct."""

    name: str
    type: str
    count: int | None
    offset: int
    struct: str | None = None


@dataclass(frozen=True)
class TilingStruct:
    """One tiling struct of ``size`` bytes. ``op`` is None for nested structs and those of other operators;
    ``key`` is the tiling key that it belongs to, or None for all keys."""

    op: str | None
    key: int | None
    cls: str
    size: int
    fields: tuple[TilingField, ...]


def parse_structs(description: Mapping[str, object]) -> tuple[TilingStruct, ...]:
    """The ``structs`` of a describe answer. Raises KeyError when the answer has another shape."""
    structs: list[TilingStruct] = []
    for entry in cast("list[dict[str, object]]", description["structs"]):
        fields = tuple(
            TilingField(
                name=cast("str", item["name"]),
                type=cast("str", item["type"]),
                count=cast("int | None", item["count"]),
                offset=cast("int", item["offset"]),
                struct=cast("str | None", item["struct"]),
            )
            for item in cast("list[dict[str, object]]", entry["fields"])
        )
        structs.append(
            TilingStruct(
                op=cast("str | None", entry["op"]),
                key=cast("int | None", entry["key"]),
                cls=cast("str", entry["cls"]),
                size=cast("int", entry["size"]),
                fields=fields,
            )
        )
    return tuple(structs)


def struct_for(structs: Sequence[TilingStruct], op: str, tiling_key: int) -> TilingStruct | None:
    """The struct that ``op`` uses under ``tiling_key``: the one of that key, else the one of all keys."""
    own = [struct for struct in structs if struct.op == op]
    for struct in own:
        if struct.key == tiling_key:
            return struct
    return next((struct for struct in own if struct.key is None), None)


def generate_header(structs: Sequence[TilingStruct], op: str) -> str:
    """The text of ``tiling_structs.h`` for the kernel of ``op``.

    Defines every struct once, nested ones first, then ``ASC_TILING_STRUCT`` (the struct of all tiling keys)
    and ``ASC_TILING_STRUCT_<key>`` where a key has its own.
    """
    by_class: dict[str, TilingStruct] = {}
    for struct in structs:
        by_class.setdefault(struct.cls, struct)
    lines = [
        "// Generated from the host code's tiling structs; do not edit.",
        "#pragma once",
        '#include "kernel_tiling/kernel_tiling.h"',
    ]
    done: set[str] = set()
    for struct in by_class.values():
        _emit(struct, by_class, done, lines)
    lines.append("")
    for struct in structs:
        if struct.op == op:
            suffix = "" if struct.key is None else f"_{struct.key}"
            lines.append(f"#define ASC_TILING_STRUCT{suffix} {struct.cls}")
    return "\n".join(lines) + "\n"


def header_hash(text: str) -> str:
    """What the header adds to the key of a cached kernel."""
    return hashlib.sha256(text.encode()).hexdigest()


def decode(raw: bytes, struct: TilingStruct, structs: Sequence[TilingStruct]) -> dict[str, TilingValue]:
    """Values of the fields in ``raw``: nested ones under dotted names, arrays as tuples.

    Raises ValueError when ``raw`` is shorter than the struct.
    """
    by_class = {known.cls: known for known in structs}
    if len(raw) < struct.size:
        raise ValueError(f"tiling data has {len(raw)} bytes, {struct.cls} needs {struct.size}")
    values: dict[str, TilingValue] = {}
    _decode(raw, 0, struct, by_class, "", values)
    return values


def _decode(
    raw: bytes,
    base: int,
    struct: TilingStruct,
    by_class: Mapping[str, TilingStruct],
    prefix: str,
    values: dict[str, TilingValue],
) -> None:
    for item in struct.fields:
        at = base + item.offset
        if item.struct is not None:
            _decode(raw, at, by_class[item.struct], by_class, f"{prefix}{item.name}.", values)
            continue
        numbers = struct_module.unpack_from(f"<{item.count or 1}{_FORMATS[item.type]}", raw, at)
        values[prefix + item.name] = numbers[0] if item.count is None else tuple(numbers)


def _emit(struct: TilingStruct, by_class: Mapping[str, TilingStruct], done: set[str], lines: list[str]) -> None:
    if struct.cls in done:
        return
    done.add(struct.cls)
    for item in struct.fields:
        if item.struct is not None:
            _emit(by_class[item.struct], by_class, done, lines)
    lines.append("")
    if struct.cls not in _toolkit_structs():
        lines.append(f"struct alignas(8) {struct.cls} {{")
        for item in struct.fields:
            extent = "" if item.count is None else f"[{item.count}]"
            lines.append(f"    {item.struct or item.type} {item.name}{extent};")
        lines.append("};")
    if struct.fields:
        lines.append(f'static_assert(sizeof({struct.cls}) == {struct.size}, "tiling layout");')
    for item in struct.fields:
        lines.append(f'static_assert(__builtin_offsetof({struct.cls}, {item.name}) == {item.offset}, "tiling layout");')


@cache
def _toolkit_structs() -> frozenset[str]:
    """Names of the structs that the kernel API itself defines."""
    return frozenset(re.findall(r"ASC_FIELDS_(\w+)\(F\)", (NATIVE / "abi" / "tiling_fields.h").read_text()))
