"""The published add series, by a kernel of our own with the same parameters.

Figures: asc-devkit, examples, add_high_performance, README: z = x + y, 8192 x 8192 half, Atlas A2 (48 vector cores,
1.85 GHz); task duration in us of the seven cases, and the vector time where it is given.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest

from ascendopt.harness.devices.base import BuildOptions, Built
from ascendopt.harness.devices.model.device import ModelDevice
from ascendopt.harness.workload import Case, TensorSpec

pytestmark = [pytest.mark.device, pytest.mark.timeout(600)]
OPERATOR = Path(__file__).parent / "add_series"
TASK_US = {0: 1239689.1, 1: 6909.6, 2: 306.58, 3: 268.5, 4: 264.0, 5: 187.68, 6: 184.5}
VECTOR_US = {1: 761.65, 2: 15.885, 3: 12.85, 4: 12.85, 5: 12.846, 6: 6.95}
ROWS = 8192
SCALAR_ROWS = 64
"""Rows that the scalar step is run on: one core works through them one after the other, so its time is proportional."""


@pytest.fixture(scope="module")
def built() -> Generator[Built]:
    device = ModelDevice("Ascend910B1")
    yield device.build(OPERATOR, BuildOptions("Ascend910B1"))
    device.close()


def case(step: int, rows: int) -> Case:
    specs = [TensorSpec(name, "float16", ((rows, 8192),)) for name in ("x", "y", "z")]
    return Case(f"step{step}", tuple(specs[:2]), (specs[2],), {"step": step})


@pytest.mark.parametrize("step", sorted(TASK_US))
def test_time(built: Built, step: int) -> None:
    rows = SCALAR_ROWS if step == 0 else ROWS
    timing = built.profile(case(step, rows)).timing
    scale = ROWS / rows
    assert timing.latency_us * scale == pytest.approx(TASK_US[step], rel=0.08)
    if step in VECTOR_US:
        assert timing.pipes_us["vector"] == pytest.approx(VECTOR_US[step], rel=0.01)


def test_each_step_is_faster_than_the_one_before(built: Built) -> None:
    times = [built.profile(case(step, ROWS)).timing.latency_us for step in range(1, 6)]
    assert times == sorted(times, reverse=True)


@pytest.mark.parametrize("step", sorted(TASK_US))
def test_values(built: Built, step: int) -> None:
    rng = np.random.default_rng(step)
    x, y = (rng.standard_normal((96, 8192)).astype(np.float16) for _ in range(2))
    run = built.run(case(step, 96), [x, y])
    assert not [violation for violation in run.violations if violation.severity == "error"]
    np.testing.assert_array_equal(run.outputs[0], x + y)
