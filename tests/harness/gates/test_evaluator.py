"""The gates in order, with failures on demand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness.fake_device import Constants, FakeDevice, toy_workload, write_toy_operator

from ascendopt.harness.candidate import Candidate, HostTemplate
from ascendopt.harness.devices.base import DeviceFailure, Violation
from ascendopt.harness.evaluation import Evaluation, Gate, GateResult, State
from ascendopt.harness.gates.evaluator import DIFFERENTIAL, Evaluator, EvaluatorSettings
from ascendopt.harness.operator_copy import Scratch, read_operator
from ascendopt.harness.workload import Case

Evaluate = Callable[..., Evaluation]
FAST = {"op_host/toy.cpp": "constexpr uint32_t TILE = 4096;\nconstexpr uint32_t MIN_CORE_LENGTH = 1024;\n"}


def double(_case: Case, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    return [array.astype(np.float64) * 2 for array in inputs]


@pytest.fixture
def evaluate(tmp_path: Path) -> Evaluate:
    sources = read_operator(write_toy_operator(tmp_path / "toy"))

    def run(device: FakeDevice, candidate: Candidate | None = None, **options: Any) -> Evaluation:
        options.setdefault("reference", double)
        with Scratch(sources) as scratch:
            gates = Evaluator(device, scratch, toy_workload(), EvaluatorSettings("Ascend910B2"), **options)
            original = gates.original()
            return original if candidate is None else gates.candidate(candidate, original)

    return run


def test_the_original_passes_and_its_time_is_the_closed_form(evaluate: Evaluate) -> None:
    result = evaluate(FakeDevice())
    large, tail = result.cases
    # 131072 elements on min(40, 128) = 40 cores: 3277 each; 7 steps of 512; 2 + 3277 / 2000 + 7 / 2
    assert large.latency_us == pytest.approx(2 + 3277 / 2000 + 3.5, abs=1e-5)
    assert result.latency_us == pytest.approx(large.latency_us, abs=1e-5)
    assert tail.correct and tail.latency_us is None
    assert [gate.gate for gate in result.gates] == [Gate.COMPILE, Gate.CORRECTNESS, Gate.PROFILE]


def test_a_faster_candidate_is_faster_by_the_closed_form(evaluate: Evaluate) -> None:
    result = evaluate(FakeDevice(), Candidate(FAST, "test"))
    assert result.speedup == pytest.approx((2 + 3277 / 2000 + 3.5) / (2 + 3277 / 2000 + 0.5), abs=1e-5)
    assert result.faster
    assert result.interval is not None and result.interval[0] > 1.5


def only_for_the_candidate(value: Any) -> Callable[[Constants], Any]:
    return lambda constants: value if constants["TILE"] == 4096 else None


def test_a_compile_failure_is_the_compile_gate_with_its_line(evaluate: Evaluate) -> None:
    failure = DeviceFailure("compile", "no such API: Foo", "op_kernel/toy.cpp", 3)
    device = FakeDevice(failure=only_for_the_candidate(failure))
    result = evaluate(device, Candidate(FAST, "test"))
    assert result.state is State.COMPILE
    assert result.reason == "op_kernel/toy.cpp:3: no such API: Foo"


def test_a_hang_is_a_timeout_and_a_crash_is_a_failure(evaluate: Evaluate) -> None:
    for reason, state in (("the kernel ran out of time", State.TIMEOUT), ("SIGSEGV", State.FAILED)):
        device = FakeDevice(failure=only_for_the_candidate(DeviceFailure("run", reason)))
        result = evaluate(device, Candidate(FAST, "test"))
        assert result.state is state
        assert result.failure is not None and result.failure.gate is Gate.CORRECTNESS


def test_wrong_values_fail_and_say_where(evaluate: Evaluate) -> None:
    device = FakeDevice(scale=lambda constants: 1.5 if constants["TILE"] == 4096 else 1.0)
    result = evaluate(device, Candidate(FAST, "test"))
    assert result.state is State.INCORRECT
    # 1.5 times the value is a relative error of 0.5, less for the few elements below the floor.
    assert result.reason.startswith("case tail, random inputs: y: mean relative error 0.4")


@pytest.mark.parametrize("severity", ["error", "warning", "doubt"])
def test_a_violation_that_the_original_does_not_have_fails(evaluate: Evaluate, severity: str) -> None:
    found = (Violation("race_raw", severity, "read before write", "op_kernel/toy.cpp", 5),)
    device = FakeDevice(violate=lambda c: found if c["TILE"] == 4096 else ())
    result = evaluate(device, Candidate(FAST, "test"))
    assert result.state is State.VIOLATION
    assert result.cases[0].violations == found or result.cases[1].violations == found


def test_a_doubt_that_the_original_has_too_does_not_fail(evaluate: Evaluate) -> None:
    found = (Violation("doubt_rep_stride", "doubt", "srcRepStride 64", "op_kernel/toy.cpp", 5),)
    result = evaluate(FakeDevice(violate=lambda _constants: found), Candidate(FAST, "test"))
    assert result.state is State.OK
    assert result.cases[0].violations == found or result.cases[1].violations == found


def test_an_original_that_is_right_only_as_meant_says_so(evaluate: Evaluate) -> None:
    doubt = (Violation("doubt_rep_stride", "doubt", "srcRepStride 64", "op_kernel/toy.cpp", 5),)
    device = FakeDevice(violate=lambda _constants: doubt, right_as_meant_only=True)
    original = evaluate(device)
    assert original.ok and original.as_meant
    assert "as documented it fails" in original.notes[-1] and "doubt_rep_stride" in original.notes[-1]
    assert evaluate(device, Candidate(FAST, "test")).state is State.OK


def test_gate_0_comes_before_the_device(evaluate: Evaluate) -> None:
    device = FakeDevice()
    rejected = GateResult(Gate.STATIC, False, "UB is too small", "op_kernel/toy.cpp", 5)
    result = evaluate(device, Candidate(FAST, "test"), static_gate=lambda _folder: rejected)
    assert result.state is State.STATIC
    assert device.builds == 1  # the original only


def test_without_a_reference_the_original_is_the_reference(evaluate: Evaluate) -> None:
    assert DIFFERENTIAL in evaluate(FakeDevice(), reference=None).notes
    device = FakeDevice(scale=lambda constants: 1.5 if constants["TILE"] == 4096 else 1.0)
    assert evaluate(device, Candidate(FAST, "test"), reference=None).state is State.INCORRECT


def test_a_measuring_device_is_compared_in_interleaved_pairs(evaluate: Evaluate) -> None:
    result = evaluate(FakeDevice(modelled=False, noise=0.01), Candidate(FAST, "test"))
    assert result.faster
    assert result.speedup == pytest.approx(7.1385 / 4.1385, rel=0.03)
    assert len(result.cases[0].base_samples_us) == 9


def test_an_evaluation_survives_json(evaluate: Evaluate) -> None:
    result = evaluate(FakeDevice(), Candidate(FAST, "test"))
    assert Evaluation.from_json(result.to_json()) == result


def with_tile(tile: int) -> Candidate:
    """As a tiling search proposes it: host code that others share, and the number for it."""
    text = "constexpr uint32_t TILE = {};\nconstexpr uint32_t MIN_CORE_LENGTH = 1024;\n"
    shared = HostTemplate({"op_host/toy.cpp": text.format("ASCENDOPT_SLOT(int, 0)")}, (tile,))
    return Candidate({"op_host/toy.cpp": text.format(tile)}, "test", template=shared)


@pytest.mark.parametrize(("tile", "state"), [(256, State.SLOWER), (512, State.SLOWER), (4096, State.OK)])
def test_the_values_of_a_tiling_are_computed_when_it_is_faster(evaluate: Evaluate, tile: int, state: State) -> None:
    device = FakeDevice(slots=True)
    evaluate(device)
    alone = device.runs
    result = evaluate(device, with_tile(tile))
    assert result.state is state and result.timed
    assert (device.runs > 2 * alone) == (state is State.OK)
    # 3277 elements a core: ceil(3277 / tile) steps of half a microsecond.
    time = 2 + 3277 / 2000 + -(-3277 // tile) / 2
    assert result.speedup == pytest.approx((2 + 3277 / 2000 + 3.5) / time, abs=1e-5)


def test_a_faster_tiling_with_wrong_values_is_still_wrong(evaluate: Evaluate) -> None:
    device = FakeDevice(slots=True, scale=lambda constants: 1.5 if constants["TILE"] == 4096 else 1.0)
    assert evaluate(device, with_tile(4096)).state is State.INCORRECT
