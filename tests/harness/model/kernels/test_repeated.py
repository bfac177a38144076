"""Cores that repeat the calls of another are not worked out again in timing mode: nothing of the answer may tell."""

from __future__ import annotations

import numpy as np
import pytest
from harness.model.kernels.kernel_runner import KernelRunner, Ran

pytestmark = pytest.mark.timeout(1200)

CORES = 8
TILES = 48
ENTRIES = ("same", "skewed", "common", "tails", "written", "meeting", "forgets", "strays", "rereads", "warns")


def run(repeated: KernelRunner, entry: str, mode: str, races: bool = True) -> Ran:
    x = np.arange(TILES * 256, dtype=np.float16) % 64
    checks = {"race": races, "strict_v_barrier": False}
    y = np.zeros_like(x)
    return repeated.run(entry, [x], [y], cores=CORES, mode=mode, timing=True, workspace=8192, checks=checks)


@pytest.mark.parametrize("races", [True, False])
@pytest.mark.parametrize("entry", ENTRIES)
def test_the_answer_is_that_of_a_run_that_works_out_every_core(repeated: KernelRunner, entry: str, races: bool) -> None:
    # With data each core is worked out.
    whole, quick = run(repeated, entry, "functional", races), run(repeated, entry, "timing", races)
    assert quick.answer["violations"] == whole.answer["violations"]
    assert whole.answer["ok"] == quick.answer["ok"]
    for key in ("instructions", "ub_bytes", "scalar_accesses", "latency_us", "samples_us", "pipes_us", "roofline"):
        assert quick.answer.get(key) == whole.answer.get(key), key


@pytest.mark.parametrize(
    ("entry", "code", "core", "line"),
    [
        ("forgets", "flag_unpaired", 5, "SetFlag<HardEvent::V_MTE3>(EVENT_ID7);"),
        ("strays", "gm_out_of_bounds", 5, "DataCopy(yGm_[to], y, count);"),
        ("rereads", "race_raw", 5, "DataCopy(x, xGm_[from], count);"),
        ("warns", "copy_unaligned", 0, "DataCopy(x, xGm_[from], count);"),
    ],
)
def test_what_one_core_does_wrong_is_found(repeated: KernelRunner, entry: str, code: str, core: int, line: str) -> None:
    found = run(repeated, entry, "timing").first(code)
    assert found["core"] == core
    place = repeated.line(found)
    assert repeated.source.read_text().splitlines()[place - 1].strip() == line


def test_every_core_that_does_it_is_counted(repeated: KernelRunner) -> None:
    assert run(repeated, "warns", "timing").first("copy_unaligned")["count"] == 3 * CORES


def test_a_crash_names_its_core_and_instruction(repeated: KernelRunner) -> None:
    whole, quick = run(repeated, "crashes", "functional").answer, run(repeated, "crashes", "timing").answer
    assert (quick["signal"], quick["core"]) == ("SIGFPE", 5)
    assert quick["instruction"] == whole["instruction"] > 0
    assert quick["sites"] == whole["sites"]
