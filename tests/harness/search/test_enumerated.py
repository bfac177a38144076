"""On spaces that were enumerated whole, the optimum is found within a fifth of them, whatever the seed.

``landscapes/`` holds every combination of the numbers of four samples as the model device rates them
(``enumerate_samples.py``): the search runs against the table.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.evaluation import CaseResult, Evaluation, Gate, GateResult, State
from ascendopt.harness.search.space import Genes
from ascendopt.harness.search.tiling_search import TilingSearch
from ascendopt.harness.search.tunables import Site, Tunable

FOLDER = Path(__file__).with_name("landscapes")
SEEDS = 20
SHARE = 0.2
# Of the best time: what no reader would see.
SAME = 1e-4


class Landscape:
    """A sample's table. Its tunables stand in a text of its own, a line each."""

    def __init__(self, name: str) -> None:
        data = json.loads((FOLDER / f"{name}.json").read_text())
        text = ""
        self.tunables: list[Tunable] = []
        for line, entry in enumerate(data["tunables"], 1):
            text += f"int {entry['name']} = "
            site = Site("op_host/a.cpp", len(text), len(text) + len(str(entry["value"])))
            text += f"{entry['value']};\n"
            domain = tuple(entry["domain"])
            self.tunables.append(Tunable(entry["name"], entry["value"], entry["role"], domain, (site,), line))
        self.texts = {"op_host/a.cpp": text}
        self.programs: dict[Genes, float | str] = {
            tuple(map(int, genes.split(","))): said for genes, said in data["programs"].items()
        }
        self.best = max(said for said in self.programs.values() if isinstance(said, float))

    def evaluation(self, candidate: Candidate) -> Evaluation:
        said = self.programs[tuple(t.domain.index(int(candidate.genes[t.name])) for t in self.tunables)]
        if isinstance(said, float):
            return timed(said)
        state, _, reason = said.partition(": ")
        gate = Gate.STATIC if state == "static" else Gate.CORRECTNESS
        return Evaluation(State(state), (GateResult(gate, False, reason),))


def timed(speedup: float) -> Evaluation:
    case = CaseResult("one", latency_us=1 / speedup, samples_us=(1 / speedup,))
    return Evaluation(State.OK, (), (case,), latency_us=1 / speedup, speedup=speedup)


@cache
def landscape(name: str) -> Landscape:
    return Landscape(name)


def attempts_to_the_optimum(world: Landscape, seed: int, most: int) -> int | None:
    search = TilingSearch(world.texts, world.tunables, np.random.Generator(np.random.PCG64(seed)))
    search.start(timed(1.0))
    attempts = 0
    while candidates := search.propose([]):
        for candidate in candidates:
            evaluation = world.evaluation(candidate)
            attempts += evaluation.state is not State.STATIC
            if evaluation.timed and (evaluation.speedup or 0.0) >= world.best * (1 - SAME):
                return attempts
            if attempts >= most:
                return None
            search.observe(candidate, evaluation)
    return None


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.json")))
def test_the_optimum_is_found_within_a_fifth_of_the_space(name: str) -> None:
    world = landscape(name)
    most = int(SHARE * len(world.programs))
    found = [attempts_to_the_optimum(world, seed, most) for seed in range(SEEDS)]
    assert sum(count is not None for count in found) >= SEEDS - 1, found
    assert world.best > 1.03
