"""Refinement of a sample: the motif of its symptom first, the best so far as the next base."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ascendopt.analysis.symptoms import PipeProfile, Symptom, SymptomKind
from ascendopt.analysis.symptoms.ranking import weight
from ascendopt.bank.identity import identified
from ascendopt.bank.motif import Conditions, Motif, Provenance, Rewrite
from ascendopt.harness.devices.model.device import ModelDevice
from ascendopt.harness.episode_result import TrialEvent
from ascendopt.harness.evaluation import Evaluation, State
from ascendopt.harness.refine.by_pattern import pattern_changes
from ascendopt.harness.refine.episodes import optimize_episode, refine_episode
from ascendopt.harness.refine.experience import Experience, NoExperience, Situation
from ascendopt.harness.refine.proposer import RefineProposer
from ascendopt.harness.structural.combine import combined, view_on
from ascendopt.harness.structural.registry import structural_operators
from ascendopt.harness.target import Target, open_target

SAMPLE = Path(__file__).parents[3] / "samples" / "scaled_add"


def motif(symptom: SymptomKind, operator: str, before: str = "a($x)", after: str = "b($x)") -> Motif:
    rewrite = Rewrite(operator, (), before, after)
    provenance = Provenance("elsewhere", "op_kernel/k.cpp", "Apache-2.0", "2026-01-02", "0.0")
    return identified(Motif("", operator, "", symptom, "mte2", Conditions(), rewrite, (), provenance))


class Listed(Experience):
    """Motifs in the order given, and what was asked for."""

    def __init__(self, *motifs: Motif) -> None:
        self.all = motifs
        self.asked: list[tuple[SymptomKind, Situation]] = []

    @property
    def identity(self) -> str:
        return "listed"

    def motifs(self, symptom: Symptom, situation: Situation) -> Sequence[Motif]:
        self.asked.append((symptom.kind, situation))
        return [one for one in self.all if one.symptom is symptom.kind]


@pytest.fixture(scope="module")
def target() -> Target:
    return open_target(SAMPLE, None, "large/float16")


def proposer(target: Target, experience: Experience, seed: int = 1) -> RefineProposer:
    rng = np.random.Generator(np.random.PCG64(seed))
    return RefineProposer(target.sources, target.soc, ("float16",), structural_operators(), experience, rng)


def said(speedup: float) -> Evaluation:
    return Evaluation(State.OK, (), speedup=speedup, faster=speedup > 1.03)


def test_the_motif_of_a_symptom_comes_first(target: Target) -> None:
    experience = Listed(motif(SymptomKind.SINGLE_BUFFER, "buffer-depth"))
    first = proposer(target, experience)
    [candidate] = first.propose([])
    assert candidate.origin == "structural:buffer-depth"
    assert "BUFFER_NUM = 2" in candidate.files["op_kernel/scaled_add.cpp"]
    assert "single-buffer" in candidate.note
    # Retrieval knows symptom, chip and dtypes. The operator's name serves to leave its own experience out.
    assert experience.asked[0][1].soc == "Ascend910B2"


def test_the_best_so_far_is_the_next_base(target: Target) -> None:
    refining = proposer(target, Listed(motif(SymptomKind.SINGLE_BUFFER, "buffer-depth")))
    [deeper] = refining.propose([])
    refining.observe(deeper, said(1.4))
    [next_one] = refining.propose([])
    assert "BUFFER_NUM = 2" in next_one.files["op_kernel/scaled_add.cpp"]
    assert next_one.key != deeper.key
    assert refining.base_files == deeper.files


def test_a_slower_or_wrong_candidate_is_no_base(target: Target) -> None:
    refining = proposer(target, NoExperience())
    [candidate] = refining.propose([])
    refining.observe(candidate, said(1.001))
    refining.observe(candidate, Evaluation(State.INCORRECT, ()))
    assert refining.base_files == {}


def test_without_experience_the_seed_draws_the_order(target: Target) -> None:
    def origins(seed: int) -> list[str]:
        refining = proposer(target, NoExperience(), seed)
        found: list[str] = []
        while made := refining.propose([]):
            found.append(made[0].origin)
            refining.observe(made[0], said(1.0))
        return found

    assert origins(1) == origins(1)
    assert len({tuple(origins(seed)) for seed in range(6)}) > 1


def test_a_motif_of_no_operator_applies_by_its_patterns(target: Target) -> None:
    view = view_on(target.sources, target.soc, {})
    slow, fast = "Muls($y, $a, $s, $n);\nAdd($y, $y, $b, $n);", "Axpy($b, $a, $s, $n);"
    [change] = pattern_changes(view, motif(SymptomKind.EXTRA_COPY, "", slow, fast))
    text = combined(view, [change], "").files["op_kernel/scaled_add.cpp"]
    assert "Axpy(x1, x2, static_cast<T>(this->alpha), count);" in text
    assert "Add(y, y, x1, count);" not in text


@pytest.mark.parametrize("before", ["", "$$all", "f(", "no_such_call($x);"])
def test_patterns_of_an_untrusted_bank_do_no_harm(target: Target, before: str) -> None:
    view = view_on(target.sources, target.soc, {})
    assert pattern_changes(view, motif(SymptomKind.EXTRA_COPY, "", before, "x;")) == []


def test_weights_follow_the_profile() -> None:
    # Half of the time no pipe covers: double buffering may win that half at most.
    waiting = PipeProfile(100.0, {"mte2": 50.0, "vector": 30.0}, "mte2", idle_cores=0.0)
    assert weight(SymptomKind.SINGLE_BUFFER, waiting) == pytest.approx(0.5)
    busy = replace(waiting, pipes_us={"mte2": 98.0})
    assert weight(SymptomKind.SINGLE_BUFFER, busy) == pytest.approx(0.02)
    assert weight(SymptomKind.FEW_CORES, waiting) == 0.0
    assert weight(SymptomKind.FEW_CORES, replace(waiting, idle_cores=0.75)) == 0.75
    assert weight(SymptomKind.SMALL_BURST, busy) > weight(SymptomKind.SMALL_BURST, waiting)


@pytest.fixture(scope="module")
def device() -> Generator[ModelDevice]:
    made = ModelDevice("Ascend910B2")
    yield made
    made.close()


@pytest.mark.device
@pytest.mark.timeout(600)
def test_refinement_makes_a_sample_faster(device: ModelDevice, target: Target, tmp_path: Path) -> None:
    experience = Listed(motif(SymptomKind.SINGLE_BUFFER, "buffer-depth"))
    events: list[TrialEvent] = []
    result = refine_episode(target, device, tmp_path / "run", 4, 1, experience).run(on_trial=events.append)
    # The first attempt is the motif: two buffers, with which copies and arithmetic overlap.
    assert events[0].evaluation.faster and "buffer" in events[0].note
    assert result.best is not None and result.best.faster
    assert result.unseen is not None and result.unseen.ok
    assert "BUFFER_NUM = 2" in result.patch


@pytest.mark.device
@pytest.mark.timeout(600)
def test_stage_two_searches_the_tiling_of_the_refined_kernel(
    device: ModelDevice, target: Target, tmp_path: Path
) -> None:
    experience = Listed(motif(SymptomKind.SINGLE_BUFFER, "buffer-depth"))
    events: list[TrialEvent] = []
    episode = optimize_episode(target, device, tmp_path / "run", 6, 1, experience)
    episode.run(on_trial=events.append)
    origins = [event.candidate.origin for event in events]
    assert origins[0] == "structural:buffer-depth"
    assert origins[-1] == "tiling-search"
    assert sum(origin != "tiling-search" for origin in origins) <= 3
    # Numbers are changed on top of what Stage I found.
    assert "BUFFER_NUM" in "".join(events[-1].candidate.files.values())
