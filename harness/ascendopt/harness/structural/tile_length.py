"""``tile-length``: see ``TileLength``."""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.findings import Span
from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.harness.search.domains import DIVISOR, TILE, role_of
from ascendopt.harness.search.tunables import Tunable, find_numbers
from ascendopt.harness.structural.base import Change, OperatorView, StructuralOperator
from ascendopt.harness.structural.ub_budget import overflows_ub

BLOCK = 32
MIN_TILE = 128
MAX_TILE = 1 << 17
MAX_DIVISOR = 128


class TileLength(StructuralOperator):
    """Larger tiles.

    What it does
        Doubles the number that sets the length of a tile, or halves the one that UB is divided by.

    Before
        ``constexpr uint32_t TILE_BYTES = 4096;``

    After
        ``constexpr uint32_t TILE_BYTES = 8192;``

    When
        The number is called and used as a tile length or as a share of UB. Whether UB holds the larger tiles is
        decided by the facts where they give a number, else by the device.

    Why it is faster
        Each tile pays for starting its copies and its vector instructions; fewer and larger tiles pay less.
    """

    name = "tile-length"
    symptom = SymptomKind.SMALL_TILE
    pipe = "mte2"

    def improvements(self, view: OperatorView) -> Iterator[Change]:
        """Twice the tile, unless the facts say that UB does not hold it."""
        for change in self._changes(view, larger=True):
            if not overflows_ub(view, change.edits):
                yield change

    def removals(self, view: OperatorView) -> Iterator[Change]:
        """Half the tile."""
        yield from self._changes(view, larger=False)

    def _changes(self, view: OperatorView, *, larger: bool) -> Iterator[Change]:
        texts = {path: source.data.decode("utf-8", "surrogateescape") for path, source in view.sources.items()}
        for tunable in find_numbers(texts):
            if tunable.role in (TILE, DIVISOR):
                value = _scaled(tunable.value, tunable.role, larger)
                if value is not None:
                    yield self._constant(view, tunable, value)
        yield from self._choices(view, larger=larger)

    def _constant(self, view: OperatorView, tunable: Tunable, value: int) -> Change:
        edits = tuple(
            view.code(site.path).edit(Span(site.start, site.end), f"{value}{site.suffix}") for site in tunable.sites
        )
        slow, fast = self._ordered(tunable.value, value, tunable.role)
        return Change(
            self.name,
            f"{tunable.name} {fast} instead of {slow}",
            edits,
            edits[0],
            f"$type {tunable.name} = {slow};",
            f"$type {tunable.name} = {fast};",
            {"name": tunable.name, "from": str(tunable.value), "to": str(value)},
            (tunable.role,),
        )

    def _choices(self, view: OperatorView, *, larger: bool) -> Iterator[Change]:
        """``uint64_t ubPartNum = (bytes == 4) ? 4 : 6;``: both numbers."""
        for code in view.host_codes():
            choice = "$type $name = $condition ? $first : $second;"
            for match in (*code.find(choice), *code.find(f"const {choice}")):
                first, second = match.text("first"), match.text("second")
                name = match.text("name")
                if not (first.isdigit() and second.isdigit() and name.isidentifier()):
                    continue
                if role_of(name, int(first), False, True) != DIVISOR:
                    continue
                values = [_scaled(int(number), DIVISOR, larger) for number in (first, second)]
                if None in values:
                    continue
                edits = tuple(
                    code.edit(match.bindings[key].span, str(value))
                    for key, value in zip(("first", "second"), values, strict=True)
                )
                old, new = f"{first} : {second}", f"{values[0]} : {values[1]}"
                slow, fast = (old, new) if larger else (new, old)
                yield Change(
                    self.name,
                    f"{name} {fast} instead of {slow}",
                    edits,
                    edits[0],
                    f"$type {name} = $condition ? {slow};",
                    f"$type {name} = $condition ? {fast};",
                    {"name": name, "from": old, "to": new},
                    (DIVISOR,),
                )

    @staticmethod
    def _ordered(old: int, new: int, role: str) -> tuple[int, int]:
        """Slow and fast value."""
        small, large = min(old, new), max(old, new)
        return (large, small) if role == DIVISOR else (small, large)


def _scaled(value: int, role: str, larger: bool) -> int | None:
    """Twice or half, or None where that is no sensible number of its role.

    Tiles are whole blocks: 65535 and 4095 are limits of an instruction.
    """
    if role == TILE and value % BLOCK:
        return None
    doubles = larger != (role == DIVISOR)
    if doubles:
        scaled = value * 2
        limit = MAX_DIVISOR if role == DIVISOR else MAX_TILE
        return scaled if scaled <= limit else None
    if value % 2:
        return None
    scaled = value // 2
    return scaled if scaled >= (1 if role == DIVISOR else MIN_TILE) else None
