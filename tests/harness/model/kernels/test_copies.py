"""DataCopy, DataCopyPad, atomics, scalar access: values against numpy, by the documented meaning of each field."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from harness.model.kernels.kernel_runner import KernelRunner

pytestmark = pytest.mark.timeout(1200)


def shape(
    rows: int = 1, row_bytes: int = 32, in_gap: int = 0, out_gap: int = 0, left: int = 0, right: int = 0,
    is_pad: int = 0, local_gap: int = 0,
) -> bytes:  # fmt: skip
    return struct.pack("<8I", rows, row_bytes, in_gap, out_gap, left, right, is_pad, local_gap)


def rows_of(values: np.ndarray, rows: int, row: int, gap: int) -> np.ndarray:
    """``rows`` rows of ``row`` elements whose starts are ``row + gap`` apart."""
    return np.stack([values[i * (row + gap) : i * (row + gap) + row] for i in range(rows)])


@pytest.mark.parametrize(("rows", "row", "gap", "local_gap"), [(1, 16, 0, 0), (4, 32, 16, 0), (7, 48, 32, 2)])
def test_strided_copy_gathers_rows(copies: KernelRunner, rows: int, row: int, gap: int, local_gap: int) -> None:
    x = np.arange(rows * (row + gap), dtype=np.float16)
    y = np.zeros(rows * row, dtype=np.float16)
    tiling = shape(rows, row * 2, in_gap=gap * 2, local_gap=local_gap)
    ran = copies.run("strided", [x], [y], tiling=tiling)
    np.testing.assert_array_equal(ran.outputs[0].reshape(rows, row), rows_of(x, rows, row, gap))
    assert ran.answer["violations"] == []


def test_strided_copy_leaves_gaps_of_the_output_alone(copies: KernelRunner) -> None:
    rows, row, gap = 3, 16, 32
    x = np.arange(rows * row, dtype=np.float16)
    y = np.zeros(rows * (row + gap), dtype=np.float16)
    ran = copies.run("strided", [x], [y], tiling=shape(rows, row * 2, out_gap=gap * 2))
    np.testing.assert_array_equal(rows_of(ran.outputs[0], rows, row, gap), x.reshape(rows, row))
    gaps = np.concatenate([ran.outputs[0][i * (row + gap) + row : (i + 1) * (row + gap)] for i in range(rows)])
    # Outputs are poisoned before the run; what no copy writes stays poison.
    assert np.all(gaps.view(np.uint16) == 0xFFFF)


@pytest.mark.parametrize(("rows", "row", "gap"), [(1, 1, 0), (1, 7, 0), (5, 3, 4), (3, 17, 1), (2, 16, 2)])
def test_padded_copy_takes_rows_of_any_length(copies: KernelRunner, rows: int, row: int, gap: int) -> None:
    x = np.arange(1, 1 + rows * (row + gap), dtype=np.float16)
    y = np.zeros(rows * row, dtype=np.float16)
    ran = copies.run("padded", [x], [y], tiling=shape(rows, row * 2, in_gap=gap * 2, local_gap=1))
    np.testing.assert_array_equal(ran.outputs[0].reshape(rows, row), rows_of(x, rows, row, gap))
    assert ran.answer["violations"] == []


def test_filler_repeats_the_first_element(copies: KernelRunner) -> None:
    x = np.array([5, 6, 7], dtype=np.float16)
    ran = copies.run("filler", [x], [np.zeros(64, dtype=np.float16)], tiling=shape(row_bytes=6))
    np.testing.assert_array_equal(ran.outputs[0][:16], np.array([5, 6, 7] + [5] * 13, dtype=np.float16))


def test_filler_takes_the_padding_value_on_both_sides(copies: KernelRunner) -> None:
    x = np.array([5, 6, 7], dtype=np.float16)
    tiling = shape(row_bytes=6, left=2, right=3, is_pad=1)
    ran = copies.run("filler", [x], [np.zeros(64, dtype=np.float16)], tiling=tiling)
    expected = np.array([-2, -2, 5, 6, 7] + [-2] * 11, dtype=np.float16)
    np.testing.assert_array_equal(ran.outputs[0][:16], expected)


def test_wide_elements_are_padded_with_zeros_only(copies: KernelRunner) -> None:
    x = np.array([5, 6], dtype=np.int64)
    y = np.zeros(8, dtype=np.int64)
    ran = copies.run("wide_filler", [x], [y], tiling=shape(row_bytes=16, left=1, right=1))
    np.testing.assert_array_equal(ran.outputs[0][:4], [0, 5, 6, 0])
    assert "copy_params" not in ran.codes("error")
    other = copies.run("wide_filler", [x], [y], tiling=shape(row_bytes=16, left=1, right=1, in_gap=7))
    assert "copy_params" in other.codes("error")


def test_a_flag_counts(copies: KernelRunner) -> None:
    x = np.arange(16, dtype=np.float32)
    ran = copies.run("counted_flag", [x], [np.zeros(8, dtype=np.float32)])
    np.testing.assert_array_equal(ran.outputs[0], x[:8] + x[8:] + 1)
    assert ran.codes("error") == set()
    assert ran.codes("warning") == {"flag_twice"}


def test_a_copy_after_a_sum_needs_no_flag(copies: KernelRunner) -> None:
    x = np.arange(16, dtype=np.float32)
    ran = copies.run("summed", [x], [np.zeros(1, dtype=np.float32)])
    assert ran.outputs[0][0] == 120
    assert ran.answer["violations"] == []


def test_fills_share_their_scratch(copies: KernelRunner) -> None:
    y = np.zeros(16, dtype=np.float32)
    ran = copies.run("filled_twice", [y], [y])
    np.testing.assert_array_equal(ran.outputs[0], np.repeat(np.float32([1, 2]), 8))
    assert ran.answer["violations"] == []


def test_filler_takes_the_value_that_was_set_where_the_copy_has_none(copies: KernelRunner) -> None:
    x = np.array([5, 6, 7], dtype=np.float16)
    tiling = shape(row_bytes=6, left=2, right=3, is_pad=0, in_gap=1)
    ran = copies.run("filler", [x], [np.zeros(64, dtype=np.float16)], tiling=tiling)
    expected = np.array([9, 9, 5, 6, 7] + [9] * 11, dtype=np.float16)
    np.testing.assert_array_equal(ran.outputs[0][:16], expected)


def test_local_copy_and_scalar_access(copies: KernelRunner) -> None:
    x = np.arange(64, dtype=np.float32)
    ran = copies.run("local", [x], [np.zeros_like(x)])
    expected = x.copy()
    expected[3] = x[2] + x[1]
    np.testing.assert_array_equal(ran.outputs[0], expected)
    assert ran.answer["violations"] == []
    assert ran.answer["scalar_accesses"] == 3


@pytest.mark.parametrize(
    ("entry", "dtype"), [("atomic_float", np.float32), ("atomic_half", np.float16), ("atomic_int", np.int32)]
)
def test_atomic_add_from_every_core(copies: KernelRunner, entry: str, dtype: type) -> None:
    x = np.arange(64).astype(dtype)
    ran = copies.run(entry, [x], [np.zeros_like(x)], cores=4)
    np.testing.assert_array_equal(ran.outputs[0], x * 5)  # once plain, four times added
    assert ran.answer["violations"] == []


@pytest.mark.parametrize("elements", [15, 5, 1])
def test_padding_of_an_allocation_is_poison_and_a_warning(copies: KernelRunner, elements: int) -> None:
    x = np.ones(elements, dtype=np.float16)
    ran = copies.run("past_the_end", [x], [np.zeros(16, dtype=np.float16)])
    assert ran.codes("warning") == {"gm_out_of_bounds"}
    assert ran.codes("error") == set()
    np.testing.assert_array_equal(ran.outputs[0][:elements], x)
    assert np.all(np.isnan(ran.outputs[0][elements:]))


def test_time_that_depends_on_data_is_marked(copies: KernelRunner) -> None:
    x = np.ones(64, dtype=np.float32)
    ran = copies.run("data_dependent", [x], [np.zeros_like(x)], mode="timing")
    assert ran.answer["timing_valid"] is False
    assert "GetValue" in ran.answer["timing_note"]
    ran = copies.run("data_dependent", [x], [np.zeros_like(x)])
    np.testing.assert_array_equal(ran.outputs[0], x)


def test_vector_chains_need_a_barrier_only_on_request(copies: KernelRunner) -> None:
    x = np.ones(8, dtype=np.float32)
    strict = {"race": True, "strict_v_barrier": True}
    assert copies.run("chain", [x], [x]).codes() == set()
    assert copies.run("chain", [x], [x], checks=strict).codes() == {"race_raw", "race_waw"}
    assert copies.run("chain", [x], [x], key=1, checks=strict).codes() == set()


def test_tiling_data_shorter_than_the_struct(copies: KernelRunner) -> None:
    x = np.ones(16, dtype=np.float16)
    ran = copies.run("strided", [x], [x], tiling=shape()[:16])
    assert ran.answer["ok"] is False
    assert ran.codes() == {"tiling_size"}
    assert "32 bytes" in ran.first("tiling_size")["message"]
