"""Sources of one operator for different chips: repositories keep them side by side, with the same entry in each.

ops-nn and ops-math name the one for 950 ``x_apt.cpp`` or put it into ``arch35/`` (61 and 89 operators of the checkouts
of 2026 have an ``x.cpp`` beside it), that for A2 and A3, the architecture 2201, ``x_arch22.cpp``.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ascendopt.analysis.operators.model import Entry, TilingStruct

_FAMILIES = {
    "apt": frozenset({"950"}),
    "regbase": frozenset({"950"}),
    "arch35": frozenset({"950"}),
    "v35": frozenset({"950"}),
    "arch22": frozenset({"A2", "A3"}),
    "910b": frozenset({"A2", "A3"}),
}


def entries_for(entries: Iterable[Entry], family: str, root: Path) -> tuple[Entry, ...]:
    """The entries that are compiled for chips of ``family``: where several files below ``root`` define one, the file
    that is named after the architecture, else those that are named after none; all where that leaves nothing."""
    known = tuple(entries)
    kept: list[Entry] = []
    for entry in known:
        rivals = [other.path for other in known if other.name == entry.name]
        mine = [path for path in rivals if family in (_meant_for(path, root) or ())]
        general = [path for path in rivals if _meant_for(path, root) is None]
        if entry.path in (mine or general or rivals):
            kept.append(entry)
    return tuple(kept)


def structs_for(structs: Iterable[TilingStruct], family: str, root: Path) -> tuple[TilingStruct, ...]:
    """The tiling structs that chips of ``family`` have: of those with one name, not the ones in files that are named
    after another architecture; all of them where that leaves nothing."""
    known = tuple(structs)
    fitting = [struct for struct in known if family in (_meant_for(struct.path, root) or (family,))]
    names = {struct.name for struct in fitting}
    kept = set(map(id, fitting))
    return tuple(struct for struct in known if id(struct) in kept or struct.name not in names)


def _meant_for(path: Path, root: Path) -> frozenset[str] | None:
    """The families that a source is named after; None where its name and folders say nothing."""
    words = [path.stem.rpartition("_")[2]]
    if root in path.parents:
        words += path.relative_to(root).parts[:-1]
    return next((_FAMILIES[word] for word in words if word in _FAMILIES), None)
