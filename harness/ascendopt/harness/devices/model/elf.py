"""Reads what a 64-bit little-endian ELF shared object imports, exports and runs at load time.

Only as much of the format as the symbol check needs; source: the System V ABI, chapters 4 and 5 (sections,
symbol table). Everything comes from an untrusted file, so every offset is checked.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

_SHT_DYNSYM = 11
_RUN_AT_LOAD = {14: ".init_array", 15: ".fini_array", 16: ".preinit_array"}
_SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")


class ElfError(ValueError):
    """Not an ELF file of the expected kind, or a damaged one."""


@dataclass(frozen=True)
class SharedObject:
    """Dynamic symbols by name, and the names of non-empty sections with code that runs at load time."""

    imports: frozenset[str]
    exports: frozenset[str]
    load_time: tuple[str, ...]


def read_shared_object(path: Path) -> SharedObject:
    """Read ``path``. Raises ElfError, OSError."""
    data = path.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        raise ElfError(f"{path.name} is no 64-bit little-endian ELF file")
    try:
        return _read(data)
    except (struct.error, IndexError, ValueError) as error:
        raise ElfError(f"{path.name} is a damaged ELF file: {error}") from error


def _read(data: bytes) -> SharedObject:
    (offset,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    if size != _SECTION_HEADER.size:
        raise ValueError("unexpected section header size")
    sections: list[tuple[int, ...]] = [
        _SECTION_HEADER.unpack_from(data, offset + index * size) for index in range(count)
    ]
    imports: set[str] = set()
    exports: set[str] = set()
    load_time: list[str] = []
    for _, kind, _, _, start, length, link, *_ in sections:
        if kind in _RUN_AT_LOAD and length:
            load_time.append(_RUN_AT_LOAD[kind])
        if kind != _SHT_DYNSYM:
            continue
        strings = sections[link]
        names = data[strings[4] : strings[4] + strings[5]]
        for at in range(start + _SYMBOL.size, start + length, _SYMBOL.size):
            name, _, _, section, _, _ = _SYMBOL.unpack_from(data, at)
            text = names[name : names.index(b"\0", name)].decode("utf-8", "replace")
            (exports if section else imports).add(text)
    return SharedObject(frozenset(imports), frozenset(exports), tuple(load_time))
