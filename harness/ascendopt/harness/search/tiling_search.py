"""The tiling search: which numbers matter, which of their values are legal, and a model of the rest.

A screen comes first: each tunable alone, in the direction in which its role usually gains. Tunables that change nothing
are left out, which most spaces are full of. After that each batch is ordered by a model of what was seen
(``surrogate``) over all points that are left, or in large spaces over steps around the best and what Optuna's TPE
proposes. A failure for want of UB rules out every point that needs still more of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from math import inf, log, prod

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.search.base import Proposer, Trial
from ascendopt.harness.search.proposals import TpeProposals
from ascendopt.harness.search.screen import Screen, effect
from ascendopt.harness.search.space import Genes, TilingSpace
from ascendopt.harness.search.surrogate import Surrogate
from ascendopt.harness.search.tunables import Tunable
from ascendopt.harness.search.ub_frontier import UbFrontier, short_of_ub

ORIGIN = "tiling-search"
# Candidates at a time: a constant, so that a run is the same whatever the number of workers.
BATCH = 4
# Up to so many points of a space are all looked at; of larger ones a pool.
SMALL_SPACE = 4096
POOL_STEPS = 384
POOL_TPE = 24
GOOD = 6
# What the model is made of where more is known: its cost grows with the cube.
MODEL_BEST = 64
MODEL_LATEST = 32
# A failure counts as a loss of a quarter, or as the worst that was seen.
FAILED = log(0.75)
# However sure the model is that a point is illegal: it learns from a few.
LEAST_CHANCE = 0.1
# Below this an expected improvement is nothing: half a per mille of the time.
NOTHING = 5e-4


class TilingSearch(Proposer):
    """Proposes batches over ``tunables`` of ``texts``; never the same values twice.

    ``rng`` seeds everything. What is searched for is the largest speed-up.
    """

    def __init__(self, texts: Mapping[str, str], tunables: Sequence[Tunable], rng: np.random.Generator) -> None:
        self._space = TilingSpace(texts, tunables)
        self._rng = rng
        self._best = self._space.original
        self._gains: dict[Genes, float | None] = {self._best: 0.0}
        self._asked: dict[str, Genes] = {}
        self._screen = Screen(self._space, rng)
        self._frontier = UbFrontier(self._space.tunables, self._best)
        self._tpe = TpeProposals(self._space, int(rng.integers(2**31)))
        self._evaluations: dict[Genes, Evaluation] = {}

    def start(self, baseline: Evaluation) -> None:
        """The original: what a tunable without effect leaves as it is."""
        self._evaluations[self._space.original] = baseline

    def propose(self, history: Sequence[Trial]) -> list[Candidate]:
        """The next batch; empty when every combination was proposed."""
        chosen: list[Genes] = []
        moves = self._screen.next(self._best)
        while len(chosen) < BATCH and (genes := next(moves, None)) is not None:
            if self._is_open(genes, chosen):
                chosen.append(genes)
        if len(chosen) < BATCH:
            chosen += self._modelled(BATCH - len(chosen), chosen)
        candidates = [self._space.candidate(genes, ORIGIN) for genes in chosen]
        for genes, candidate in zip(chosen, candidates, strict=True):
            self._asked[candidate.key] = genes
        return candidates

    def observe(self, candidate: Candidate, evaluation: Evaluation) -> None:
        """Learn what became of a candidate."""
        genes = self._asked.pop(candidate.key)
        gain = log(evaluation.speedup) if evaluation.timed and evaluation.speedup else None
        self._gains[genes] = gain
        self._evaluations[genes] = evaluation
        before = self._evaluations.get(self._screen.base_of(genes))
        self._screen.observe(genes, effect(evaluation, before), gain is None and short_of_ub(evaluation))
        self._tpe.tell(genes, gain)
        if gain is None:
            self._frontier.failed(genes, evaluation)
            return
        self._frontier.passed(genes)
        more = gain - (self._gains[self._best] or 0.0)
        if more > NOTHING or (more > -NOTHING and self._changes(genes) < self._changes(self._best)):
            self._best = genes

    def without_one(self, candidate: Candidate) -> list[Candidate]:
        return self._space.without_one(candidate)

    def _changes(self, genes: Genes) -> int:
        """How many tunables differ from the original: of equal programs the smaller patch is the better one."""
        return sum(gene != own for gene, own in zip(genes, self._space.original, strict=True))

    def _is_open(self, genes: Genes, chosen: Sequence[Genes]) -> bool:
        return self._is_new(genes, chosen) and not self._frontier.rules_out(genes)

    def _is_new(self, genes: Genes, chosen: Sequence[Genes]) -> bool:
        return genes not in self._gains and genes not in chosen

    def _modelled(self, count: int, taken: Sequence[Genes]) -> list[Genes]:
        """The points that the model expects most of; at random where it expects nothing of any."""
        every = tuple(range(len(self._space.sizes)))
        active = self._screen.active() or every
        pool = self._pool(active, taken)
        if not pool and len(active) < len(every):
            active = every
            pool = self._pool(active, taken)
        if not pool:
            pool = self._pool(active, taken, ruled_out=True)
        if len(pool) <= count:
            return pool
        points = self._space.places(pool, active)
        expected = self._expected(pool, points, active)
        chosen: list[Genes] = []
        for _ in range(count):
            index = int(np.argmax(expected))
            if expected[index] <= NOTHING:
                left = [i for i, genes in enumerate(pool) if genes not in chosen]
                index = left[int(self._rng.integers(len(left)))]
            chosen.append(pool[index])
            # The next of the batch is to say something else: what is close to this one counts less.
            near = np.max(np.abs(points - points[index]) / 0.25, axis=1)
            expected = expected * np.minimum(1.0, near**2)
            expected[index] = 0.0
        return chosen

    def _expected(
        self, pool: Sequence[Genes], points: NDArray[np.float64], active: Sequence[int]
    ) -> NDArray[np.float64]:
        """The improvement to be expected of each of ``pool``, which lie at ``points``, times its chance to be legal."""
        known = self._known(active)
        legal = [gain for gain in known.values() if gain is not None]
        failed = min(FAILED, *legal)
        gains = np.asarray([failed if gain is None else gain for gain in known.values()])
        model = Surrogate(self._space.places(list(known), active), gains)
        best = self._gains[self._best] or 0.0
        expected = model.expected_improvement(points, best)
        if len(legal) == len(known):
            return expected
        passed = np.asarray([float(gain is not None) for gain in known.values()])
        chance, _ = Surrogate(self._space.divisors(list(known), active), passed).predict(
            self._space.divisors(pool, active)
        )
        return expected * np.minimum(np.maximum(chance, LEAST_CHANCE), 1.0)

    def _known(self, active: Sequence[int]) -> dict[Genes, float | None]:
        """What is modelled: of points that differ only in tunables that do nothing the best, the best of all, and the
        latest."""
        found: dict[tuple[int, ...], Genes] = {}
        for genes in sorted(self._gains, key=self._rank):
            found[_part(genes, active)] = genes
        kept = [*reversed(found.values())]
        modelled = frozenset(kept)
        latest = [genes for genes in self._gains if genes in modelled][-MODEL_LATEST:]
        return {genes: self._gains[genes] for genes in dict.fromkeys([*kept[:MODEL_BEST], *latest])}

    def _rank(self, genes: Genes) -> float:
        gain = self._gains[genes]
        return -inf if gain is None else gain

    def _pool(self, active: Sequence[int], taken: Sequence[Genes], *, ruled_out: bool = False) -> list[Genes]:
        """Points that are open, in an order that depends on the seed alone; or those that seem to need too much UB."""
        if prod(self._space.sizes[position] for position in active) <= SMALL_SPACE:
            found: Iterator[Genes] = self._all(active)
        else:
            found = iter([*self._steps(active), *self._tpe.ask(POOL_TPE, self._best, active)])
        wanted = self._is_new if ruled_out else self._is_open
        # What differs from a known point in tunables that do nothing says nothing new.
        known = {_part(genes, active) for genes in (*self._gains, *taken)}
        pool: dict[Genes, Genes] = {}
        for genes in found:
            part = _part(genes, active)
            if part not in known and part not in pool and wanted(genes, taken):
                pool[part] = genes
        return list(pool.values())

    def _all(self, active: Sequence[int]) -> Iterator[Genes]:
        for values in product(*(range(self._space.sizes[position]) for position in active)):
            yield self._with(dict(zip(active, values, strict=True)))

    def _steps(self, active: Sequence[int]) -> list[Genes]:
        """One to three tunables moved from one of the best points, at times crossed with another of them."""
        ranked = sorted(
            (g for g, gain in self._gains.items() if gain is not None), key=lambda g: -(self._gains[g] or 0)
        )
        good = list(islice(ranked, GOOD))
        found: list[Genes] = []
        for _ in range(POOL_STEPS):
            genes = list(good[int(self._rng.integers(len(good)))])
            other = good[int(self._rng.integers(len(good)))]
            if self._rng.random() < 0.3:
                genes = [o if self._rng.random() < 0.5 else g for g, o in zip(genes, other, strict=True)]
            for _ in range(int(self._rng.integers(1, 4))):
                position = active[int(self._rng.integers(len(active)))]
                reach = int(self._rng.geometric(0.4))
                moved = genes[position] + (reach if self._rng.random() < 0.5 else -reach)
                genes[position] = min(max(moved, 0), self._space.sizes[position] - 1)
            found.append(tuple(genes))
        return found

    def _with(self, values: Mapping[int, int]) -> Genes:
        return tuple(values.get(position, gene) for position, gene in enumerate(self._best))


def _part(genes: Genes, active: Sequence[int]) -> Genes:
    """The genes of the tunables that matter."""
    return tuple(genes[position] for position in active)
