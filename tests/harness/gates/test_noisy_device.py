"""False winners and found gains on simulated noisy devices, through the gates as a search uses them.

A whole decision: the original is measured with itself, the candidate judged, and when it is faster measured again as a
champion. Only one that is faster twice is a winner.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path

import numpy as np
import pytest
from harness.fake_device import toy_case
from harness.gates.noisy_device import KINDS, SOURCE, NoisyDevice, program

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.gates.evaluator import Evaluator, EvaluatorSettings
from ascendopt.harness.operator_copy import OperatorSources, Scratch, read_operator
from ascendopt.harness.workload import Workload

WORKLOAD = Workload((toy_case("case", (16,)),))
# Seed and true speed-up -> is it a winner?
Decide = Callable[[str, int, float], bool]

NULL_TRIALS = 240
POWER_TRIALS = 40


class KeptScratch(Scratch):
    """Writes each program once: thousands of decisions are about a handful of them."""

    def __init__(self, sources: OperatorSources) -> None:
        super().__init__(sources)
        self._written: dict[str, Path] = {}

    def materialise(self, candidate: Candidate | None) -> Path:
        """The copy that is there, else a new one."""
        key = candidate.key if candidate else ""
        if key not in self._written:
            self._written[key] = super().materialise(candidate)
        return self._written[key]

    def discard(self, candidate: Candidate) -> None:
        """Nothing: the copy is used again."""


@pytest.fixture(scope="module")
def decide(tmp_path_factory: pytest.TempPathFactory) -> Generator[Decide, None, None]:
    root = tmp_path_factory.mktemp("noisy") / "toy"
    for path, text in ((SOURCE, "constexpr int SPEED = 1000;\n"), ("op_kernel/toy.cpp", "// kernel\n")):
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text(text)
    with KeptScratch(read_operator(root)) as scratch:

        def run(kind: str, seed: int, speed: float) -> bool:
            device = NoisyDevice(KINDS[kind], np.random.default_rng([seed, list(KINDS).index(kind)]))
            gates = Evaluator(device, scratch, WORKLOAD, EvaluatorSettings("Ascend910B2", seed))
            original = gates.original()
            candidate = program(speed)
            judged = gates.candidate(candidate, original)
            return judged.faster and gates.candidate(candidate, original, full=True).faster

        yield run


def upper_bound(wins: int, trials: int) -> float:
    """The 95 % upper bound of Clopper and Pearson: the rate at which so few wins have a probability of 5 %."""
    low, high = wins / trials, 1.0
    for _ in range(60):
        rate = (low + high) / 2
        below = sum(_binomial(k, trials, rate) for k in range(wins + 1))
        low, high = (rate, high) if below > 0.05 else (low, rate)
    return high


def _binomial(k: int, n: int, p: float) -> float:
    choices = float(np.prod([(n - i) / (i + 1) for i in range(k)]))
    return choices * p**k * (1 - p) ** (n - k)


def test_the_bound_is_the_one_of_the_tables() -> None:
    # The rule of three: without an event the bound is 1 - 0.05^(1/n), about 3/n.
    assert upper_bound(0, 250) == pytest.approx(1 - 0.05 ** (1 / 250), abs=1e-9)
    # One of ten: 0.394 (Clopper and Pearson, one-sided 95 %).
    assert upper_bound(1, 10) == pytest.approx(0.3942, abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_equal_programs_win_in_at_most_2_percent_of_the_decisions(decide: Decide, kind: str) -> None:
    wins = sum(decide(kind, seed, 1.0) for seed in range(NULL_TRIALS))
    assert upper_bound(wins, NULL_TRIALS) <= 0.02, f"{wins} false winners of {NULL_TRIALS}"


@pytest.mark.parametrize("kind", ["bursts", "resonance"])
def test_slower_programs_never_win(decide: Decide, kind: str) -> None:
    assert not any(decide(kind, seed, 0.97) for seed in range(POWER_TRIALS))


@pytest.mark.parametrize(
    ("kind", "speed", "share"),
    [
        *((kind, 1.3, 0.9) for kind in KINDS),
        # Where most pairs are disturbed on one side only, 5 % is not over the floor.
        *((kind, 1.05, 0.6) for kind in ("heavy_tails", "drift", "bursts")),
    ],
)
def test_real_gains_over_the_floor_are_found(decide: Decide, kind: str, speed: float, share: float) -> None:
    found = sum(decide(kind, seed, speed) for seed in range(POWER_TRIALS))
    assert found >= share * POWER_TRIALS, f"{found} of {POWER_TRIALS}"
