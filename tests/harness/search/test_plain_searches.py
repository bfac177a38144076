"""Random search, TPE and the grid on the genes of the tiling search: no repeats, seeds, where they end."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.evaluation import Evaluation, State
from ascendopt.harness.search.base import Proposer
from ascendopt.harness.search.grid_search import GridSearch, grid_levels
from ascendopt.harness.search.optuna_search import OptunaSearch, random_sampler, tpe_sampler
from ascendopt.harness.search.space import TilingSpace
from ascendopt.harness.search.tunables import find_tunables

TEXTS = {
    "op_host/a.cpp": (
        "constexpr int A = 4; // ascendopt: tune[1,2,3,4,5,6,7,8]\nconstexpr int B = 1; // ascendopt: tune[1..9]\n"
    )
}
New = Callable[[TilingSpace, int, np.random.Generator], Proposer]


def random(space: TilingSpace, budget: int, rng: np.random.Generator) -> Proposer:
    return OptunaSearch(space, "random", random_sampler, rng)


def tpe(space: TilingSpace, budget: int, rng: np.random.Generator) -> Proposer:
    return OptunaSearch(space, "tpe", tpe_sampler, rng)


def grid(space: TilingSpace, budget: int, rng: np.random.Generator) -> Proposer:
    return GridSearch(space, "grid", budget, rng)


def drive(new: New, trials: int, budget: int, seed: int = 0) -> list[Candidate]:
    space = TilingSpace(TEXTS, find_tunables(TEXTS))
    search = new(space, budget, np.random.Generator(np.random.PCG64(seed)))
    done: list[Candidate] = []
    while len(done) < trials and (candidates := search.propose([])):
        for candidate in candidates:
            a, b = int(candidate.genes["A"]), int(candidate.genes["B"])
            score = None if a * b > 40 else 1.0 + a * 0.1 + b * 0.01
            state = State.OK if score else State.COMPILE
            search.observe(candidate, Evaluation(state, (), speedup=score))
            done.append(candidate)
    return done


@pytest.mark.parametrize("new", (random, tpe, grid))
def test_no_program_comes_twice_and_the_original_never(new: New) -> None:
    done = drive(new, 30, budget=40)
    values = [(c.genes["A"], c.genes["B"]) for c in done]
    assert len(done) == 30
    assert len(set(values)) == 30
    assert (4, 1) not in values


@pytest.mark.parametrize("new", (random, tpe, grid))
def test_the_seed_decides(new: New) -> None:
    keys = [[c.key for c in drive(new, 20, budget=40, seed=seed)] for seed in (1, 1, 2)]
    assert keys[0] == keys[1] != keys[2]


@pytest.mark.parametrize("new", (random, tpe))
def test_a_space_of_72_programs_is_searched_to_its_end(new: New) -> None:
    assert len(drive(new, 500, budget=500)) >= 65


def test_the_grid_is_regular_within_its_budget_and_then_ends() -> None:
    done = drive(grid, 500, budget=12)
    # 4 x 3 points: both ends and steps of equal size; none is the original (4, 1).
    assert {int(c.genes["A"]) for c in done} == {1, 3, 6, 8}
    assert {int(c.genes["B"]) for c in done} == {1, 5, 9}
    assert len(done) == 12


@pytest.mark.parametrize(
    ("sizes", "budget", "levels"),
    [((8, 9), 12, (4, 3)), ((8, 9), 1000, (8, 9)), ((2, 50), 12, (2, 6)), ((5, 5, 5), 3, (3, 1, 1)), ((4,), 1, (1,))],
)
def test_grid_levels(sizes: tuple[int, ...], budget: int, levels: tuple[int, ...]) -> None:
    assert grid_levels(sizes, budget) == levels
