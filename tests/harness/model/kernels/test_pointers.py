"""Timing without data: a kernel that reads values through a plain pointer has no valid time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from harness.model.kernels.kernel_runner import KernelRunner

pytestmark = pytest.mark.timeout(1200)
X = np.zeros(8, np.int32)


def timed(pointers: KernelRunner, entry: str) -> dict[str, Any]:
    answer = pointers.run(entry, [X], [np.zeros(8192, np.int32)], workspace=4096, mode="timing", timing=True).answer
    assert answer["ok"], answer
    return answer


@pytest.mark.parametrize("entry", ["reads_output", "reads_workspace", "reads_last"])
def test_a_read_through_a_pointer_is_noticed(pointers: KernelRunner, entry: str) -> None:
    answer = timed(pointers, entry)
    assert answer["timing_valid"] is False
    assert "a pointer to global memory" in answer["timing_note"]


@pytest.mark.parametrize("entry", ["reads_tiling", "writes_only"])
def test_tiling_and_writes_are_fine(pointers: KernelRunner, entry: str) -> None:
    answer = timed(pointers, entry)
    assert answer["timing_valid"] is True and answer["latency_us"] > 0


def test_with_data_the_same_kernels_have_a_time(pointers: KernelRunner) -> None:
    ran = pointers.run("reads_last", [X], [np.zeros(8192, np.int32)], workspace=4096, timing=True)
    assert ran.answer["ok"] and ran.answer["timing_valid"] is True
    assert ran.outputs[0][0] == 5
