"""Which tunables matter: each alone changed, in the direction in which its role usually gains.

More buffers or a larger tile often lack UB that another tunable could give. So what failed for want of UB alone is
tried again with one other tunable at an end of its domain: most of that costs nothing, the analysis rejects it.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

import numpy as np

from ascendopt.harness.evaluation import CaseResult, Evaluation
from ascendopt.harness.search.domains import ALIGN, BLOCKS, BUFFERS, DIVISOR, RESERVE, SHARES, SPLIT, TILE, TILES
from ascendopt.harness.search.expressions import EXPRESSION
from ascendopt.harness.search.space import Genes, TilingSpace
from ascendopt.harness.search.ub_frontier import UB_NEED

# What is screened first, and which way: more buffers, larger tiles and fewer, fewer shares of UB, more cores.
_ORDER = (BUFFERS, DIVISOR, SHARES, TILE, TILES, RESERVE, BLOCKS, SPLIT, EXPRESSION, ALIGN)
_FIRST = {BUFFERS: 1, SHARES: -1, TILE: 1, TILES: -1, DIVISOR: -1, RESERVE: -1, BLOCKS: 1, SPLIT: -1, ALIGN: 1}
# How far first, as a share of the way to the end of the domain; seeds differ in it. More cores than there are cost
# nothing, the analysis rejects them: a count of cores goes to its end at once.
_FAR = (0.2, 0.5)
_AT_ONCE = frozenset({BLOCKS})
# What moves times and UB by less does nothing that a search is for; its ends are tried all the same.
SAME_TIME = 1e-3
SAME_UB = 1e-2


class Effect(Enum):
    """What a change did."""

    NONE = "none"
    SOME = "some"
    FAILED = "failed"


def effect(evaluation: Evaluation, before: Evaluation | None) -> Effect:
    """``NONE`` when every case has the times and the UB as before the change: the same tiling, or one as good."""
    if not evaluation.timed:
        return Effect.FAILED
    if before is None:
        return Effect.SOME
    now, then = _timed(evaluation), _timed(before)
    return Effect.NONE if now.keys() == then.keys() and all(_alike(now[k], then[k]) for k in now) else Effect.SOME


def _timed(evaluation: Evaluation) -> dict[str, CaseResult]:
    return {case.name: case for case in evaluation.cases if case.latency_us is not None}


def _alike(now: CaseResult, then: CaseResult) -> bool:
    same_ub = abs((now.ub_bytes or 0) - (then.ub_bytes or 0)) <= SAME_UB * (then.ub_bytes or 0)
    same_time = abs((now.latency_us or 0.0) - (then.latency_us or 0.0)) <= SAME_TIME * (then.latency_us or 0.0)
    return now.block_dim == then.block_dim and same_ub and same_time


class Screen:
    """Single changes from the original, pairs where UB was short, and after that one from each new best, of a tunable
    that had no effect before."""

    def __init__(self, space: TilingSpace, rng: np.random.Generator) -> None:
        self._space = space
        self._effects: dict[int, set[Effect]] = {}
        # Which tunable was moved, and from where.
        self._moves: dict[Genes, tuple[int, Genes]] = {}
        order = sorted(range(len(space.sizes)), key=lambda at: (self._rank(at), float(rng.random())))
        self._shares = (float(rng.uniform(*_FAR)), 1.0)
        self._waiting = [(at, far, sign) for far, sign in ((0, 1), (0, -1), (1, 1)) for at in order]
        self._from = space.original
        # Pairs with the position that they are to make legal.
        self._pairs: list[tuple[Genes, int]] = []
        self._paired: dict[Genes, int] = {}
        self._legal: set[int] = set()

    def _rank(self, position: int) -> int:
        role = self._space.tunables[position].role
        return _ORDER.index(role) if role in _ORDER else len(_ORDER)

    def next(self, best: Genes) -> Iterator[Genes]:
        """Moves to try now, in order; those that the caller takes are used up."""
        while self._waiting:
            position, far, sign = self._waiting.pop(0)
            genes = (
                None if self._settled(position, far, sign) else self._moved(self._space.original, position, far, sign)
            )
            if genes is not None:
                self._moves[genes] = (position, self._space.original)
                yield genes
        while self._pairs:
            genes, position = self._pairs.pop(0)
            if position not in self._legal:
                self._paired[genes] = position
                yield genes
        active = self.active()
        idle = next((at for at in range(len(self._space.sizes)) if at not in active), None)
        if best != self._from and idle is not None:
            self._from = best
            genes = self._moved(best, idle, 0, 1) or self._moved(best, idle, 0, -1)
            if genes is not None:
                self._moves[genes] = (idle, best)
                yield genes

    def base_of(self, genes: Genes) -> Genes:
        """The point that a move is compared with."""
        return self._moves[genes][1] if genes in self._moves else self._space.original

    def observe(self, genes: Genes, seen: Effect, short_of_ub: bool = False) -> None:
        """What a change did; changes that were no screening say nothing about one tunable."""
        if genes in self._moves:
            position, _ = self._moves[genes]
            self._effects.setdefault(position, set()).add(seen)
            if short_of_ub:
                self._pairs += ((pair, position) for pair in self._with_one_at_an_end(genes, position))
        elif genes in self._paired and seen is not Effect.FAILED:
            self._legal.add(self._paired[genes])

    def _with_one_at_an_end(self, genes: Genes, position: int) -> Iterator[Genes]:
        """``genes`` with one tunable but ``position`` at an end of its domain, first where its role leaves more UB."""
        others = [at for at in range(len(genes)) if at != position and self._space.sizes[at] > 1]
        for low in (True, False):
            for at in sorted(others, key=self._rank):
                last = self._space.sizes[at] - 1
                end = 0 if (UB_NEED.get(self._space.tunables[at].role, -1) > 0) is low else last
                yield (*genes[:at], end, *genes[at + 1 :])

    def active(self) -> tuple[int, ...]:
        """Positions of the tunables that did something, or only failed so far."""
        effects = [self._effects.get(at, set[Effect]()) for at in range(len(self._space.sizes))]
        return tuple(at for at, seen in enumerate(effects) if Effect.SOME in seen or seen == {Effect.FAILED})

    def _settled(self, position: int, far: int, sign: int) -> bool:
        """A tunable that is known to matter is left to the model; only one that did nothing is pushed to its end."""
        return bool(far or sign < 0) and Effect.SOME in self._effects.get(position, set())

    def _moved(self, base: Genes, position: int, far: int, sign: int) -> Genes | None:
        """``base`` with one tunable moved; None where it is at that end."""
        role = self._space.tunables[position].role
        way = _FIRST.get(role, 1) * sign
        here, last = base[position], self._space.sizes[position] - 1
        room = last - here if way > 0 else here
        if room <= 0:
            return None
        # Alternatives of an expression stand in the order in which they are worth a try.
        share = self._shares[1 - far if role in _AT_ONCE else far]
        step = 1 if role == EXPRESSION and not far else max(1, round(room * share))
        return (*base[:position], here + way * step, *base[position + 1 :])
