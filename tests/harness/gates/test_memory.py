"""What one run of a comparison evaluated, the others are told, where times are modelled."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from harness.fake_device import FakeDevice, toy_case, toy_workload, write_toy_operator

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.gates.evaluator import EvaluatorSettings
from ascendopt.harness.gates.memory import EvaluationMemory, RememberedReference, RememberingEvaluator
from ascendopt.harness.operator_copy import Scratch, read_operator
from ascendopt.harness.workload import Case

FAST = Candidate(
    {"op_host/toy.cpp": "constexpr uint32_t TILE = 4096;\nconstexpr uint32_t MIN_CORE_LENGTH = 1024;\n"}, "test"
)


def judged(folder: Path, device: FakeDevice, memory: EvaluationMemory, seed: int = 0) -> tuple[Evaluation, Evaluation]:
    sources = read_operator(folder)
    settings = EvaluatorSettings("Ascend910B2", seed=seed)
    with Scratch(sources) as scratch:
        gates = RememberingEvaluator(device, scratch, toy_workload(), settings, None, None, memory)
        original = gates.original()
        return original, gates.candidate(FAST, original)


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    return write_toy_operator(tmp_path / "toy")


def test_the_second_run_builds_nothing_and_says_the_same(toy: Path, tmp_path: Path) -> None:
    first, second = FakeDevice(), FakeDevice()
    one = judged(toy, first, EvaluationMemory(tmp_path / "known.jsonl", 0))
    other = judged(toy, second, EvaluationMemory(tmp_path / "known.jsonl", 0))
    assert [evaluation.to_json() for evaluation in one] == [evaluation.to_json() for evaluation in other]
    assert first.builds > 0 and second.builds == 0


def test_another_operator_or_other_inputs_are_other_evaluations(toy: Path, tmp_path: Path) -> None:
    memory = EvaluationMemory(tmp_path / "known.jsonl", 0)
    judged(toy, FakeDevice(), memory)
    seeded, changed = FakeDevice(), FakeDevice()
    judged(toy, seeded, memory, seed=1)
    judged(write_toy_operator(tmp_path / "other" / "toy", tile=256), changed, memory)
    assert seeded.builds > 0 and changed.builds > 0


def test_what_another_process_found_since_is_known(toy: Path, tmp_path: Path) -> None:
    path = tmp_path / "known.jsonl"
    early = EvaluationMemory(path, 0)
    # It has read the file by now: there was nothing in it.
    judged(write_toy_operator(tmp_path / "other" / "toy", tile=256), FakeDevice(), early)
    told = judged(toy, FakeDevice(), pickle.loads(pickle.dumps(EvaluationMemory(path, 0))))
    idle = FakeDevice()
    assert [one.to_json() for one in judged(toy, idle, early)] == [one.to_json() for one in told]
    assert idle.builds == 0


def test_a_torn_line_is_evaluated_again(toy: Path, tmp_path: Path) -> None:
    path = tmp_path / "known.jsonl"
    whole = judged(toy, FakeDevice(), EvaluationMemory(path, 0))
    path.write_bytes(path.read_bytes()[:-40])
    device = FakeDevice()
    again = judged(toy, device, EvaluationMemory(path, 0))
    assert device.builds > 0
    assert [evaluation.to_json() for evaluation in again] == [evaluation.to_json() for evaluation in whole]
    last = FakeDevice()
    judged(toy, last, EvaluationMemory(path, 0))
    assert last.builds == 0


def test_a_device_that_measures_is_asked_every_time(toy: Path, tmp_path: Path) -> None:
    memory = EvaluationMemory(tmp_path / "known.jsonl", 0)
    judged(toy, FakeDevice(modelled=False), memory)
    device = FakeDevice(modelled=False)
    judged(toy, device, memory)
    assert device.builds > 0


def test_a_reference_is_asked_once_for_the_same_case_and_inputs() -> None:
    asked: list[str] = []

    def double(case: Case, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        asked.append(case.name)
        return [array * 2 for array in inputs]

    reference = RememberedReference(double, limit=1 << 10)
    small, large = toy_case("small", (4, 4)), toy_case("large", (64, 64))
    one, other = np.ones((4, 4), np.float32), np.zeros((4, 4), np.float32)
    for values in (one, one, other):
        np.testing.assert_array_equal(reference(small, [values])[0], values * 2)
    assert asked == ["small", "small"]
    for _ in range(2):
        reference(large, [np.ones((64, 64), np.float32)])
    assert asked[2:] == ["large", "large"]
