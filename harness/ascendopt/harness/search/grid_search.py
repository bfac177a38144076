"""A regular grid over the genes of the tiling search, in random order: what the tiling search has to beat."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.search.base import Proposer, Trial
from ascendopt.harness.search.space import Genes, TilingSpace


class GridSearch(Proposer):
    """Proposes the points of the finest regular grid with at most ``budget`` points, then ends."""

    def __init__(self, space: TilingSpace, origin: str, budget: int, rng: np.random.Generator) -> None:
        self._space = space
        self._origin = origin
        points = [point for point in grid(space.sizes, space.original, budget) if point != space.original]
        self._waiting = [points[int(index)] for index in rng.permutation(len(points))]

    def propose(self, history: Sequence[Trial]) -> list[Candidate]:
        return [self._space.candidate(self._waiting.pop(), self._origin)] if self._waiting else []

    def observe(self, candidate: Candidate, evaluation: Evaluation) -> None:
        return

    def without_one(self, candidate: Candidate) -> list[Candidate]:
        return self._space.without_one(candidate)


def grid(sizes: Sequence[int], original: Genes, budget: int) -> list[Genes]:
    """The points: both ends and equal steps of each domain that gets several values, else its original value."""
    axes = [
        [round(step * (size - 1) / (count - 1)) for step in range(count)] if count > 1 else [here]
        for size, here, count in zip(sizes, original, grid_levels(sizes, budget), strict=True)
    ]
    return list(product(*axes))


def grid_levels(sizes: Sequence[int], budget: int) -> tuple[int, ...]:
    """How many values of each domain the grid takes: one more at a time, in turn, while the product fits."""
    levels = [1] * len(sizes)
    grown = True
    while grown:
        grown = False
        for position, size in enumerate(sizes):
            more = prod(levels) // levels[position] * (levels[position] + 1)
            if levels[position] < size and more <= budget:
                levels[position] += 1
                grown = True
    return tuple(levels)
