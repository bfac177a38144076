"""Improvements and removals on the model device: all compile, all are correct, the fast form is the fast one."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from harness.structural.fixture import FLOAT_TENSORS, SOC, Bench, write_blend

from ascendopt.harness.devices.model.device import ModelDevice
from ascendopt.harness.evaluation import Evaluation, State
from ascendopt.harness.gates.evaluator import Evaluator, EvaluatorSettings
from ascendopt.harness.operator_copy import Scratch
from ascendopt.harness.structural.base import Change
from ascendopt.harness.structural.view import candidate_of
from ascendopt.harness.workload import Case, TensorSpec, Workload

pytestmark = [pytest.mark.device, pytest.mark.timeout(300)]
LENGTH = 1 << 19
"""Elements: 10923 for each of 48 cores, more than five tiles."""
LOOP = "for (uint32_t offset = 0; offset < this->length; offset += this->tile) {\n"
TABLE = "LocalTensor<T> table = tableBuffer.Get<T>();\n"


@pytest.fixture(scope="module")
def device() -> Generator[ModelDevice]:
    device = ModelDevice(SOC)
    yield device
    device.close()


def evaluate(device: ModelDevice, bench: Bench, change: Change) -> Evaluation:
    """``change`` compared with the operator as it is, on its own outputs."""
    specs = [TensorSpec(name, "float32", ((LENGTH,),)) for name in ("x1", "x2", "y")]
    workload = Workload((Case("large", tuple(specs[:2]), (specs[2],)),))
    with Scratch(bench.sources) as scratch:
        evaluator = Evaluator(device, scratch, workload, EvaluatorSettings(SOC))
        original = evaluator.original()
        assert original.state is State.OK, original.reason
        return evaluator.candidate(candidate_of(bench.view, change), original)


FAST = {
    "buffer-depth": {"replace": (("BUFFER_NUM = 1", "BUFFER_NUM = 2"),)},
    "tile-length": {},
    "merged-copies": {},
    "scalar-loop": {},
    "scalar-operand": {"compute": "Adds(y, x1, static_cast<T>(2), count);\nMaxs(y, y, static_cast<T>(0), count);\n"},
    "ub-copy": {},
    "fused-muls-add": {"compute": "Axpy(x2, x1, static_cast<T>(3), count);\nAbs(y, x2, count);\n"},
    "reciprocal": {
        "compute": "const float rate = 1.0f / this->tile;\nMuls(y, x1, rate, count);\n",
        "replace": FLOAT_TENSORS,
    },
    "narrow-barrier": {"compute": "Add(y, x1, x2, count);\nAbs(y, y, count);\nAdd(y, y, x2, count);\n"},
    "even-split": {},
    "few-cores": {},
    "hoist": {
        "process": f"Fill();\n{LOOP}    Step(offset);\n}}\n",
        # so much vector work that the fill is not hidden behind the copies
        "compute": f"{TABLE}Add(y, x1, table, count);\n" + "Div(y, y, table, count);\n" * 8,
        "replace": (("BUFFER_NUM = 1", "BUFFER_NUM = 2"),),
    },
}


@pytest.mark.parametrize("name", sorted(FAST))
def test_removals_are_correct_and_slower(device: ModelDevice, tmp_path: Path, name: str) -> None:
    bench = Bench(write_blend(tmp_path, **FAST[name]), name)  # type: ignore[arg-type]
    assert bench.removals
    speedups: list[float] = []
    for change in bench.removals[:3]:
        result = evaluate(device, bench, change)
        assert result.state is State.OK, (change.title, result.reason)
        assert result.speedup is not None
        speedups.append(result.speedup)
    assert min(speedups) < 0.999
    assert max(speedups) < 1.005


def test_scalar_loop_becomes_much_faster(device: ModelDevice, tmp_path: Path) -> None:
    slow = (
        "PipeBarrier<PIPE_ALL>();\n"
        "for (uint32_t i = 0; i < count; ++i) {\n    y.SetValue(i, x1.GetValue(i) + x2.GetValue(i));\n}\n"
        "PipeBarrier<PIPE_ALL>();\n"
    )
    bench = Bench(write_blend(tmp_path, compute=slow), "scalar-loop")
    result = evaluate(device, bench, bench.improvements[0])
    assert result.ok and result.faster
    assert result.speedup is not None and result.speedup > 10


def test_a_second_buffer_makes_it_faster(device: ModelDevice, tmp_path: Path) -> None:
    bench = Bench(write_blend(tmp_path), "buffer-depth")
    result = evaluate(device, bench, bench.improvements[0])
    assert result.ok and result.faster
