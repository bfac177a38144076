"""Each seeded mistake is found under its code, at its line; its repaired twin is clean."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from harness.model.kernels.kernel_runner import KernelRunner, Ran

SOURCE = Path(__file__).with_name("seeded.cpp")
COUNT = 512
CORES = {"two_writers": 2, "sync_alone": 2}


class Case(NamedTuple):
    index: int
    name: str
    code: str
    line: int


def read_cases() -> list[Case]:
    text = SOURCE.read_text(encoding="utf-8")
    lines = text.splitlines()
    found: list[Case] = []
    for match in re.finditer(r"CASE\((\d+), (\w+)\)", text):
        index, name = int(match[1]), match[2]
        start = next(i for i, line in enumerate(lines) if f"void case_{name}(" in line)
        for number, line in enumerate(lines[start:], start + 1):
            if marked := re.search(r"// !! (\w+)", line):
                found.append(Case(index, name, marked[1], number))
                break
    return found


CASES = read_cases()


def launch(runner: KernelRunner, name: str, key: int) -> Ran:
    x = np.arange(COUNT, dtype=np.float32)
    return runner.run("seeded", [x], [np.zeros_like(x)], key=key, cores=CORES.get(name, 1))


def test_the_file_has_all_thirteen_kinds() -> None:
    assert len(CASES) >= 13
    assert {case.code for case in CASES} >= {
        *("race_raw", "race_war", "race_waw", "queue_alloc", "queue_deque", "queue_leak", "queue_free"),
        *("ub_overflow", "gm_out_of_bounds", "flag_wait", "flag_unpaired", "flag_twice"),
        *("copy_unaligned", "ub_misaligned", "gm_write_conflict"),
    }


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_mistake_is_found_at_its_line(seeded: KernelRunner, case: Case) -> None:
    ran = launch(seeded, case.name, 2 * case.index)
    assert case.code in ran.codes()
    assert seeded.line(ran.first(case.code)) == case.line


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_repaired_twin_is_clean(seeded: KernelRunner, case: Case) -> None:
    ran = launch(seeded, case.name, 2 * case.index + 1)
    assert ran.answer["ok"] is True
    assert ran.answer["violations"] == []


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("name", "need"),
    [
        ("missing_mte2_v", "MTE2_V"),
        ("missing_v_mte3", "V_MTE3"),
        ("missing_v_mte2", "V_MTE2"),
        ("missing_mte3_v", "MTE3_V"),
        ("missing_v_s", "V_S"),
    ],
)
def test_race_names_the_missing_flag(seeded: KernelRunner, name: str, need: str) -> None:
    case = next(case for case in CASES if case.name == name)
    found = launch(seeded, name, 2 * case.index).first(case.code)
    assert f"missing {need} sync" in found["message"]


@pytest.mark.timeout(1200)
def test_a_race_may_leave_the_right_values(seeded: KernelRunner) -> None:
    """Program order hides the missing flag from the values: only the clocks see it."""
    ran = launch(seeded, "missing_mte2_v", 0)
    np.testing.assert_array_equal(ran.outputs[0], np.arange(COUNT, dtype=np.float32) + 1)


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("entry", ["null_pointer", "deep_recursion"])
def test_fault_names_its_line(seeded: KernelRunner, entry: str) -> None:
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if f" {entry}(GM_ADDR" in line)
    expected = next(n for n, line in enumerate(lines[start:], start + 1) if "// !! fault" in line)
    x = np.arange(COUNT, dtype=np.float32)
    ran = seeded.run(entry, [x], [np.zeros_like(x)])
    assert ran.answer["ok"] is False
    assert ran.answer["signal"] == "SIGSEGV"
    # A recursion faults in its prologue; the caller's line is the next site.
    assert expected in (seeded.line(ran.answer), seeded.line({"sites": ran.answer["sites"][1:]}))


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("cores", [1, 2, 4])
def test_sync_all_orders_the_cores(seeded: KernelRunner, cores: int) -> None:
    x = np.arange(COUNT, dtype=np.float32)
    ran = seeded.run("neighbours", [x], [np.zeros_like(x)], cores=cores, workspace=4 * COUNT)
    own = x.reshape(cores, -1) + np.arange(1, cores + 1, dtype=np.float32)[:, None]
    np.testing.assert_array_equal(ran.outputs[0].reshape(cores, -1), np.roll(own, -1, axis=0))
    assert ran.answer["violations"] == []
