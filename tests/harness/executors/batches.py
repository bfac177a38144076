"""An episode whose proposer proposes batches with everything in them that could disturb their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from harness.executors.toy_device import BROKEN, SLOW, open_toy_device
from harness.fake_device import toy_workload

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.episode import Episode, EpisodeSettings
from ascendopt.harness.episode_result import TrialEvent
from ascendopt.harness.evaluation import Evaluation, Gate, GateResult
from ascendopt.harness.executors.choice import Executors
from ascendopt.harness.operator_copy import OperatorSources, read_operator
from ascendopt.harness.search.base import Proposer, Trial

HOST = "op_host/toy.cpp"
ILLEGAL = 7


class Batches(Proposer):
    """Five random candidates at a time, among them slow, broken and illegal ones, repetitions and the original.

    What it proposes depends on what it observed, in the order in which it did.
    """

    def __init__(self, sources: OperatorSources, rng: np.random.Generator) -> None:
        self._sources = sources
        self._rng = rng
        self._observed = ""

    def propose(self, history: Sequence[Trial]) -> list[Candidate]:
        return [self._candidate() for _ in range(5)]

    def observe(self, candidate: Candidate, evaluation: Evaluation) -> None:
        self._observed += evaluation.state.value[0]

    def _candidate(self) -> Candidate:
        tile = int(self._rng.choice([64, 128, 256, 512, 512, 1024, 2048, ILLEGAL]))
        core = int(self._rng.choice([1024, 1024, 1024, 512, 2048, SLOW, BROKEN]))
        text = self._sources.texts[HOST].replace("TILE = 512", f"TILE = {tile}")
        text = text.replace("CORE_LENGTH = 1024", f"CORE_LENGTH = {core}")
        return Candidate({HOST: text}, "random", self._observed)


def static_gate(folder: Path) -> GateResult | None:
    illegal = f"TILE = {ILLEGAL};" in (folder / HOST).read_text()
    return GateResult(Gate.STATIC, False, "not aligned") if illegal else None


def run(
    operator: Path,
    out: Path,
    executors: Executors,
    *,
    resume: bool = False,
    on_trial: Callable[[TrialEvent], None] | None = None,
) -> bytes:
    """The journal of a run."""
    device = open_toy_device()
    settings = EpisodeSettings("Ascend910B2", 18, 5, "random")
    sources = read_operator(operator)
    episode = Episode(sources, toy_workload(), device, Batches, settings, out, static_gate=static_gate)
    episode.run(resume=resume, executor=executors.factory(device, open_toy_device), on_trial=on_trial)
    return (out / "journal.jsonl").read_bytes()
