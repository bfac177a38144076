"""Points of a tiling space that need at least as much UB as one that had too little."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.search.domains import BUFFERS, DIVISOR, RESERVE, SHARES, TILE, TILES
from ascendopt.harness.search.space import Genes
from ascendopt.harness.search.tunables import Tunable

# More of it takes more UB, or less; other numbers have to be equal to say anything.
UB_NEED = {BUFFERS: 1, SHARES: -1, TILE: 1, TILES: -1, DIVISOR: -1, RESERVE: -1}
_WANT_OF_UB = re.compile(r"MEM001|ub_overflow|bytes of UB|the UB has \d+ bytes")


def short_of_ub(failure: Evaluation) -> bool:
    """Whether a candidate failed because it needs more UB than there is."""
    return _WANT_OF_UB.search(failure.reason) is not None


class UbFrontier:
    """Learns from failures. Only of tunables whose role says what more of them does to UB.

    A role is read from a name, and may be wrong: a failure that would rule out what is legal says nothing.
    """

    def __init__(self, tunables: Sequence[Tunable], legal: Genes) -> None:
        self._directions = tuple(UB_NEED.get(tunable.role, 0) for tunable in tunables)
        self._failed: list[Genes] = []
        self._legal = [legal]

    def passed(self, genes: Genes) -> None:
        """``genes`` has UB enough."""
        self._legal.append(genes)
        self._failed = [failed for failed in self._failed if not self._needs_more(genes, failed)]

    def failed(self, genes: Genes, failure: Evaluation) -> None:
        """``genes`` failed; it counts when UB was short."""
        if not short_of_ub(failure) or self.rules_out(genes):
            return
        if not any(self._needs_more(legal, genes) for legal in self._legal):
            self._failed.append(genes)

    def rules_out(self, genes: Genes) -> bool:
        """Whether ``genes`` needs at least as much as one that failed."""
        return any(self._needs_more(genes, failed) for failed in self._failed)

    def _needs_more(self, genes: Genes, failed: Genes) -> bool:
        return all(
            (here - there) * direction >= 0 if direction else here == there
            for here, there, direction in zip(genes, failed, self._directions, strict=True)
        )
