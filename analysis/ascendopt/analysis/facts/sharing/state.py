"""What a walk keeps in addition, so that walks of functions in it can be recorded and replayed."""

from __future__ import annotations

from collections.abc import Iterable

from ascendopt.analysis.facts.kernel_walk import KernelWalk
from ascendopt.analysis.facts.model import TilingRead
from ascendopt.analysis.facts.program import Program
from ascendopt.analysis.facts.reads import Reads
from ascendopt.analysis.facts.runtime import Frame
from ascendopt.analysis.facts.sharing.record import Counts, Seen


class SharingState(KernelWalk):
    """``seen`` is what it came across in the function that is recorded."""

    def __init__(self, program: Program, frame: Frame) -> None:
        super().__init__(program, frame)
        self.seen = Seen()

    def counts(self) -> Counts:
        """Where the numbers stand that a walk gives out."""
        return Counts(self._unknowns, self._orders, self._handles, self.steps)

    def advance(self, used: Counts) -> None:
        """As if a walk had given out so many."""
        self._unknowns += used.unknowns
        self._orders += used.orders
        self._handles += used.handles
        self.steps += used.steps

    def note(
        self,
        seen: Seen,
        reads: Reads,
        tiling_reads: dict[tuple[str, int], TilingRead],
        dtypes: Iterable[str],
        *,
        complete: bool,
    ) -> None:
        """What a function that was walked on its own means for the walk around it."""
        self.seen.add(seen)
        self.program.reads.queries |= reads.queries
        self.program.reads.held |= reads.held
        for key, read in tiling_reads.items():
            self.tiling_reads.setdefault(key, read)
        self.dtypes_used.update(dtypes)
        self.complete = self.complete and complete

    def _forget(self, names: set[str]) -> None:
        self.seen.forgotten |= names
        super()._forget(names)
