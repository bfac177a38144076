"""Each seeded mistake is found under its code, at its line; its repaired twin is clean."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from harness.model.kernels.conftest import Seeded
from harness.model.kernels.kernel_runner import Ran

FOLDER = Path(__file__).with_name("seeded")
COUNT = 512


class Case(NamedTuple):
    family: str
    name: str
    cores: int
    strict: bool
    code: str
    need: str
    line: int


def read_cases() -> list[Case]:
    found: list[Case] = []
    for path in sorted(FOLDER.glob("*.cpp")):
        name, cores, strict = "", 1, False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if opened := re.match(r"BUG\((\w+)\) \{(?:  // cores: (\d+))?", line):
                name, cores, strict = opened[1], int(opened[2] or 1), line.endswith("// strict")
            elif (marked := re.match(r" *// \^+ (\w+) ?(\w*)", line)) and marked[1] != "fault":
                found.append(Case(path.stem, name, cores, strict, marked[1], marked[2], number - 1))
    return found


CASES = read_cases()
each_case = pytest.mark.parametrize("case", CASES, ids=[f"{case.family}-{case.name}" for case in CASES])
pytestmark = pytest.mark.timeout(1200)


def launch(seeded: Seeded, case: Case, *, fixed: bool) -> Ran:
    x = np.arange(COUNT, dtype=np.float32)
    checks = {"race": True, "strict_v_barrier": case.strict}
    return seeded.family(case.family).run(
        case.name, [x], [np.zeros_like(x)], key=int(fixed), cores=case.cores, workspace=4096, checks=checks
    )


def test_there_are_more_than_forty_kinds_of_mistakes() -> None:
    assert len({case.name for case in CASES}) == len(CASES) > 40
    assert {case.code for case in CASES} >= {
        *("race_raw", "race_war", "race_waw", "queue_alloc", "queue_deque", "queue_leak", "queue_free", "queue_enque"),
        "queue_owner",
        *("ub_overflow", "buffer_overrun", "gm_out_of_bounds", "flag_wait", "flag_unpaired", "flag_twice"),
        *("copy_unaligned", "ub_misaligned", "overlap", "ub_uninitialised", "tensor_freed", "filler_read"),
        *("gm_write_conflict", "gm_read_conflict", "gm_cache_line", "sync_deadlock", "ub_reserved"),
        *("atomic_left_on", "mask_left_on"),
    }


@each_case
def test_mistake_is_found_at_its_line(seeded: Seeded, case: Case) -> None:
    ran = launch(seeded, case, fixed=False)
    assert case.code in ran.codes("error") | ran.codes("warning")
    found = ran.first(case.code)
    assert seeded.family(case.family).line(found) == case.line
    assert case.need in found["message"]


@each_case
def test_repaired_twin_is_clean(seeded: Seeded, case: Case) -> None:
    ran = launch(seeded, case, fixed=True)
    assert ran.answer["ok"] is True
    assert ran.answer["violations"] == []


def test_a_buffer_that_does_not_fit_does_harm_when_it_is_touched(seeded: Seeded) -> None:
    x = np.zeros(COUNT, dtype=np.float32)
    unused = seeded.family("bounds").run("ub_overflow", [x], [x])
    assert unused.answer["ok"] is True
    assert unused.first("ub_overflow")["severity"] == "warning"
    touched = seeded.family("bounds").run("touches_a_buffer_that_does_not_fit", [x], [x])
    assert touched.answer["ok"] is False
    assert "ub_overflow" in touched.codes("error")


def test_a_race_may_leave_the_right_values(seeded: Seeded) -> None:
    """Program order hides the missing flag from the values: only the clocks see it."""
    ran = launch(seeded, next(case for case in CASES if case.name == "missing_mte2_v"), fixed=False)
    np.testing.assert_array_equal(ran.outputs[0], np.arange(COUNT, dtype=np.float32) + 1)


def test_a_buffer_travels_with_its_tensor_through_another_queue(seeded: Seeded) -> None:
    ran = launch(seeded, next(case for case in CASES if case.name == "enque_in_other_queue"), fixed=False)
    assert ran.answer["ok"] is True
    assert {found["code"] for found in ran.answer["violations"]} == {"queue_owner"}
    assert ran.codes("error") == set()
    np.testing.assert_array_equal(ran.outputs[0], np.ones(COUNT, dtype=np.float32))


def test_the_compiler_orders_scalar_accesses(seeded: Seeded) -> None:
    """cce-auto-sync is on unless the build turns it off, so GetValue after a vector instruction is no race."""
    x = np.arange(COUNT, dtype=np.float32)
    ran = seeded.family("races").run("missing_v_s", [x], [np.zeros_like(x)])
    assert ran.answer["violations"] == []
    np.testing.assert_array_equal(ran.outputs[0], np.full(COUNT, 6, dtype=np.float32))


@pytest.mark.parametrize("entry", ["null_pointer", "deep_recursion"])
def test_fault_names_its_line(seeded: Seeded, entry: str) -> None:
    runner = seeded.family("faults")
    lines = runner.source.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if f" {entry}(GM_ADDR" in line)
    expected = next(n for n, line in enumerate(lines[start:], start) if "// ^^^ fault" in line)
    x = np.arange(COUNT, dtype=np.float32)
    ran = runner.run(entry, [x], [np.zeros_like(x)])
    assert ran.answer["ok"] is False
    assert ran.answer["signal"] == "SIGSEGV"
    # A recursion faults in its prologue; the caller's line is the next site.
    assert expected in (runner.line(ran.answer), runner.line({"sites": ran.answer["sites"][1:]}))


@pytest.mark.parametrize("cores", [1, 2, 4])
def test_sync_all_orders_the_cores(seeded: Seeded, cores: int) -> None:
    x = np.arange(COUNT, dtype=np.float32)
    ran = seeded.family("faults").run("neighbours", [x], [np.zeros_like(x)], cores=cores, workspace=4 * COUNT)
    own = x.reshape(cores, -1) + np.arange(1, cores + 1, dtype=np.float32)[:, None]
    np.testing.assert_array_equal(ran.outputs[0].reshape(cores, -1), np.roll(own, -1, axis=0))
    assert ran.answer["violations"] == []
