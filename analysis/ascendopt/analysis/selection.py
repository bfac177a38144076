"""Which rules are on: ``--select`` and ``--ignore``, by code or prefix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ascendopt.analysis.chips import Chip
from ascendopt.analysis.rules.registry import UnknownRule, codes, rule


@dataclass(frozen=True)
class Selection:
    """The product codes that are on."""

    codes: frozenset[str]

    @staticmethod
    def everything() -> Selection:
        """All rules."""
        return Selection(frozenset(codes()))

    @staticmethod
    def of(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> Selection:
        """``select`` (default: all) without ``ignore``; each entry is a code (``MEM001``) or a prefix (``PRF``).

        Raises UnknownRule when an entry matches no rule.
        """
        chosen = list(select)
        on = set(_expand(chosen)) if chosen else set(codes())
        return Selection(frozenset(on - set(_expand(ignore))))

    def on(self, chip: Chip) -> frozenset[str]:
        """Those that have something to say about ``chip``."""
        return frozenset(code for code in self.codes if not rule(code).families or chip.family in rule(code).families)


def _expand(entries: Iterable[str]) -> Iterator[str]:
    for entry in entries:
        wanted = entry.strip().upper().removeprefix("ASC-")
        matches = [code for code in codes() if code.removeprefix("ASC-").startswith(wanted)]
        if not wanted or not matches:
            raise UnknownRule(f"no rule matches {entry!r}; `ascendopt explain --all` lists them")
        yield from matches
