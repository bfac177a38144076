"""Fills, slices, copies by pointers, queue states: values against numpy and the documentation."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from harness.model.kernels.kernel_runner import KernelRunner

pytestmark = pytest.mark.timeout(1200)


@pytest.mark.parametrize(
    ("entry", "dtype", "value"),
    [("fill_float", np.float32, 2.5), ("fill_half", np.float16, -1.0), ("fill_long", np.int64, 1 << 40)],
)
@pytest.mark.parametrize("count", [1, 7, 64, 5000])
def test_fill_writes_its_elements_only(moves: KernelRunner, entry: str, dtype: type, value: float, count: int) -> None:
    y = np.zeros(count + 8, dtype=dtype)
    ran = moves.run(entry, [], [y], tiling=struct.pack("<II", count, 0))
    assert ran.answer["violations"] == []
    np.testing.assert_array_equal(ran.outputs[0][3 : count + 3], np.full(count, value, dtype=dtype))
    around = np.concatenate([ran.outputs[0][:3], ran.outputs[0][count + 3 :]])
    assert around.tobytes() == b"\xff" * around.nbytes


def test_slices_take_bursts_of_each_row(moves: KernelRunner) -> None:
    x = np.arange(256, dtype=np.float32)
    ran = moves.run("slices", [x], [np.zeros_like(x)])
    matrix, found = x.reshape(4, 64), ran.outputs[0].reshape(4, 64)
    taken = np.zeros((4, 64), dtype=bool)
    for row in (1, 3):
        taken[row, 2:10] = taken[row, 27:35] = True  # 8 elements, a gap of 17, 8 elements
    np.testing.assert_array_equal(found[taken], matrix[taken])
    assert np.all(np.isnan(found[~taken]))
    assert ran.answer["violations"] == []


def test_copies_by_pointers(moves: KernelRunner) -> None:
    x = np.arange(24, dtype=np.float32)
    ran = moves.run("pointers", [x], [np.zeros(32, dtype=np.float32)])
    found = ran.outputs[0]
    for row in range(3):
        # Rows of 5 elements, 8 apart in the input and 6 apart in the output.
        np.testing.assert_array_equal(found[6 * row : 6 * row + 5], x[8 * row : 8 * row + 5])
    np.testing.assert_array_equal(found[24:29], x[:5])
    assert ran.answer["violations"] == []


def test_queues_say_where_a_tensor_is(moves: KernelRunner) -> None:
    ran = moves.run("states", [], [np.zeros(16, dtype=np.int32)])
    occupied, enqueued, dequeued, free = 1, 2, 3, 0
    left = (192 * 1024 - 2 * 64 - 128) // 4
    expected = [occupied, 1, enqueued, 1, dequeued, 0, free, 64, 8, left, 1, 0]
    np.testing.assert_array_equal(ran.outputs[0][:12], expected)
    assert ran.codes() == set()


def test_atomic_extremes(moves: KernelRunner) -> None:
    x = np.concatenate([np.arange(16), np.arange(16)[::-1]]).astype(np.float32)
    ran = moves.run("extremes", [x], [np.zeros_like(x)])
    np.testing.assert_array_equal(ran.outputs[0][:16], np.maximum(x[:16], x[16:]))
    np.testing.assert_array_equal(ran.outputs[0][16:], np.minimum(x[:16], x[16:]))
    assert ran.answer["violations"] == []


def test_a_pool_of_the_operators_own_places_buffers(moves: KernelRunner) -> None:
    x = np.arange(16, dtype=np.int32)
    ran = moves.run("own_pool", [x], [np.zeros(24, np.int32)])
    assert list(ran.outputs[0][:5]) == [0, 96, 192, 3, 0]
    np.testing.assert_array_equal(ran.outputs[0][8:], 2 * x)
    assert ran.codes() == set()


def test_a_pool_waits_for_its_buffers_before_another_shares_them(moves: KernelRunner) -> None:
    x = np.arange(128, dtype=np.float32)
    ran = moves.run("pool_again", [x], [np.zeros(64, np.float32)])
    np.testing.assert_array_equal(ran.outputs[0], x[:64] + x[64:])
    assert ran.codes() == set()


def test_tuples(moves: KernelRunner) -> None:
    ran = moves.run("tuples", [], [np.zeros(3, np.float32)])
    assert list(ran.outputs[0]) == [7, 4.5, 8.5]


def test_functions_without_scratch_take_it_behind_the_buffers(moves: KernelRunner) -> None:
    # Sin of float needs three temporaries of 256 bytes and 32 bytes more (GetSinMaxMinTmpSize).
    ran = moves.run("own_scratch", [], [np.zeros(64, np.float32)])
    assert ran.answer["ub_bytes"] == 1024 + 3 * 256 + 32
    np.testing.assert_array_equal(ran.outputs[0], np.zeros(64, np.float32))
    assert ran.answer["violations"] == []


def test_scratch_without_room_is_told(moves: KernelRunner) -> None:
    ran = moves.run("no_room_for_scratch", [], [np.zeros(64, np.float32)])
    assert ran.codes("warning") == {"ub_overflow"}
    assert "Sin" in ran.first("ub_overflow")["message"]
    assert ran.answer["ub_bytes"] == 192 * 1024


def test_layouts_place_coordinates(moves: KernelRunner) -> None:
    ran = moves.run("layouts", [], [np.zeros(2, np.int32)])
    assert list(ran.outputs[0]) == [35, 8]
