"""Tiling structs as the rules about them see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ascendopt.analysis.operators import TilingField, TilingStruct


def declared_once(structs: Iterable[TilingStruct]) -> Mapping[str, tuple[TilingStruct, TilingField]]:
    """The fields whose name one struct alone has: only these are known by their name."""
    found: dict[str, list[tuple[TilingStruct, TilingField]]] = {}
    for struct in structs:
        for field in struct.fields:
            found.setdefault(field.name, []).append((struct, field))
    return {name: entries[0] for name, entries in found.items() if len(entries) == 1}
