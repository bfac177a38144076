"""Cores that wait for each other: values by hand, and who is who in an AI Core."""

from __future__ import annotations

import numpy as np
import pytest
from harness.model.kernels.kernel_runner import KernelRunner, Ran

pytestmark = pytest.mark.timeout(1200)

CUBE, VECTOR = 1, 2


def run(cores: KernelRunner, entry: str, blocks: int, words: int = 1024, key: int = 0) -> Ran:
    return cores.run(entry, [], [np.zeros(words, dtype=np.int32)], cores=blocks, workspace=8192, key=key)


def test_an_ai_core_has_a_cube_core_and_two_vector_cores(cores: KernelRunner) -> None:
    found = run(cores, "names_mix", 2).outputs[0].reshape(-1, 16)[:6, :6]
    expected = [
        [CUBE, 0, 0, 0, 1, 2], [VECTOR, 0, 0, 0, 2, 2], [VECTOR, 0, 1, 1, 2, 2],
        [CUBE, 1, 0, 1, 1, 2], [VECTOR, 1, 0, 2, 2, 2], [VECTOR, 1, 1, 3, 2, 2],
    ]  # fmt: skip
    np.testing.assert_array_equal(found, expected)


def test_a_tiling_key_chooses_its_own_cores(cores: KernelRunner) -> None:
    found = run(cores, "names_mix", 2, key=7).outputs[0].reshape(-1, 16)
    np.testing.assert_array_equal(found[[0, 3], :6], [[CUBE, 0, 0, 0, 1, 2], [CUBE, 1, 0, 1, 1, 2]])
    assert np.all(found[[1, 2, 4, 5]] == -1)  # nobody wrote there


def test_without_a_stated_type_and_cube_instructions_all_are_vector_cores(cores: KernelRunner) -> None:
    found = run(cores, "names_alone", 3).outputs[0].reshape(-1, 16)[:3, :6]
    np.testing.assert_array_equal(found, [[VECTOR, i, 0, i, 1, 3] for i in range(3)])


def test_vector_cores_hand_over_to_their_cube_core(cores: KernelRunner) -> None:
    ran = run(cores, "to_cube", 3)
    np.testing.assert_array_equal(ran.outputs[0][:48:16], [10 + 11, 12 + 13, 14 + 15])
    assert ran.answer["violations"] == []


def test_a_flag_of_all_vector_cores(cores: KernelRunner) -> None:
    ran = run(cores, "all_flag", 5)
    np.testing.assert_array_equal(ran.outputs[0][:40:8], [15] * 5)
    assert ran.answer["violations"] == []


def test_a_flag_of_the_pair(cores: KernelRunner) -> None:
    ran = run(cores, "pair_flag", 2)
    np.testing.assert_array_equal(ran.outputs[0][:32:8], [2, 1, 4, 3])
    assert ran.answer["violations"] == []


def test_signals_make_a_chain(cores: KernelRunner) -> None:
    ran = run(cores, "chain", 4)
    np.testing.assert_array_equal(ran.outputs[0][:32:8], [103, 102, 101, 100])
    assert ran.answer["violations"] == []


def test_turns_are_in_order(cores: KernelRunner) -> None:
    value = 1
    for _ in range(2):
        for core in range(4):
            value = 2 * value + core
    ran = run(cores, "turns", 4)
    assert ran.outputs[0][0] == value
    assert ran.answer["violations"] == []


def test_some_cores_meet(cores: KernelRunner) -> None:
    ran = run(cores, "some_cores", 4)
    np.testing.assert_array_equal(ran.outputs[0][:32:8], [5, 6, 6, 5])
    assert ran.answer["violations"] == []


def test_everyone_meets(cores: KernelRunner) -> None:
    ran = run(cores, "everyone", 3)
    np.testing.assert_array_equal(ran.outputs[0][128:176:16], [8, 8, 8])
    assert ran.answer["violations"] == []


def test_cores_that_prepare_the_same_values_may_each_read_them(cores: KernelRunner) -> None:
    ran = run(cores, "same_copy", 2, 16)
    assert list(ran.outputs[0][::8]) == [7, 7]
    assert ran.codes() == set()


def test_a_core_that_reads_what_another_overwrites_is_told(cores: KernelRunner) -> None:
    assert "gm_write_conflict" in run(cores, "other_copy", 2, 16).codes()


def test_a_group_waits_for_another_each_time(cores: KernelRunner) -> None:
    ran = run(cores, "groups", 5, 32)
    # (1 + 2) + (11 + 12) + (21 + 22), by each of three; 3 waiting cores take 512 bytes each.
    assert list(ran.outputs[0][::8]) == [69, 69, 69, 1536]
    assert ran.codes() == set()


def test_a_group_that_nobody_reaches_stands_still(cores: KernelRunner) -> None:
    assert run(cores, "group_alone", 2, 8).codes() == {"sync_deadlock"}
