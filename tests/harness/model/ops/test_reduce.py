"""Reductions: values in the documented order and rounding, indices, layouts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from harness.model.ops.vector_device import F16, F32, Tensor, VectorDevice

Array = npt.NDArray[np.generic]
TYPES = [F16, F32]
VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX = range(4)


def tree(values: Array) -> np.generic:
    """Neighbours are added, every sum rounded to the type, until one value is left."""
    while values.size > 1:
        if values.size % 2:
            values = np.append(values, values.dtype.type(0))
        values = values[::2] + values[1::2]
    return values[0]


def repeats_of(values: Array) -> Array:
    lanes = 256 // values.dtype.itemsize
    padded = np.zeros(-(-values.size // lanes) * lanes, values.dtype)
    padded[: values.size] = values
    return padded.reshape(-1, lanes)


def numbers(dtype: np.dtype, count: int, seed: int = 1) -> Array:
    return (np.random.default_rng(seed).standard_normal(count) * 3 + 1).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("count", [1, 5, 64, 129, 1000, 4096])
def test_sum_by_count_adds_repeats_one_after_another(device: VectorDevice, dtype: np.dtype, count: int) -> None:
    a = numbers(dtype, count)
    rows = [tree(row) for row in repeats_of(a)]
    want = rows[0]
    for value in rows[1:]:
        want = dtype.type(want + value)
    source = device.put(a)
    got = device.clean("ReduceSum", device.empty(16, dtype), source, count=count, tmp=source)
    assert got[0] == want


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_sum_by_repeats_is_a_tree_throughout(device: VectorDevice, dtype: np.dtype) -> None:
    lanes = 256 // dtype.itemsize
    a = numbers(dtype, lanes * 7)
    want = tree(np.array([tree(row) for row in repeats_of(a)], dtype))
    got = device.clean(
        "ReduceSumRepeat", device.empty(16, dtype), device.put(a), mask=lanes, repeat=7, tmp=device.empty(16, dtype)
    )
    assert got[0] == want


def test_half_sum_overflows_like_half(device: VectorDevice) -> None:
    source = device.put(np.full(256, 500, F16))
    got = device.clean("ReduceSum", device.empty(16, F16), source, count=256, tmp=source)
    assert got[0] == np.inf  # 256 * 500 = 128000 > 65504


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize(("name", "pick"), [("ReduceMax", np.argmax), ("ReduceMin", np.argmin)])
@pytest.mark.parametrize("count", [1, 63, 200, 1000])
def test_extreme_with_index(device: VectorDevice, dtype: np.dtype, name: str, pick: object, count: int) -> None:
    a = np.random.default_rng(2).integers(-9, 9, count).astype(dtype)  # many ties: the first one counts
    got = device.clean(name, device.empty(16, dtype), device.put(a), count=count, option=1, tmp=device.empty(64, dtype))
    index = int(pick(a))  # type: ignore[operator]
    assert got[0] == a[index]
    assert got[1:2].view(f"u{dtype.itemsize}")[0] == index


def test_nan_wins_every_extreme(device: VectorDevice) -> None:
    a = numbers(F32, 100)
    a[70] = np.nan
    source, tmp = device.put(a), device.empty(64, F32)
    for name in ("ReduceMax", "ReduceMin"):
        got = device.clean(name, device.empty(16, F32), source, count=100, option=1, tmp=tmp)
        assert np.isnan(got[0]) and got[1:2].view(np.uint32)[0] == 70


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_whole_reduce_sum_and_its_stride(device: VectorDevice, dtype: np.dtype) -> None:
    lanes = 256 // dtype.itemsize
    a = numbers(dtype, lanes * 5)
    target = device.put(np.zeros(32, dtype))
    got = device.clean("WholeReduceSum", target, device.put(a), mask=20, repeat=5, dst_strides=(1, 3))
    masked = np.where(np.arange(lanes) < 20, a.reshape(5, lanes), dtype.type(0))
    want = np.zeros(32, dtype)
    want[0:15:3] = [tree(row) for row in masked]
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("order", [VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX])
def test_whole_reduce_extreme_layouts(device: VectorDevice, dtype: np.dtype, order: int) -> None:
    lanes = 256 // dtype.itemsize
    a = np.random.default_rng(3).integers(-50, 50, lanes * 4).astype(dtype)
    target = device.put(np.zeros(32, dtype))
    device.clean("WholeReduceMax", target, device.put(a), mask=lanes, repeat=4, dst_strides=(1, 1), option=order)
    rows = a.reshape(4, lanes)
    best, index = rows.max(1), rows.argmax(1)
    if order == ONLY_VALUE:
        np.testing.assert_array_equal(device.get(target)[:4], best)
    elif order == ONLY_INDEX:
        got = device.get(Tensor(target.address, np.dtype(np.uint32), 4))
        np.testing.assert_array_equal(got, index)
    else:
        pairs = device.get(target)[:8].reshape(4, 2)
        value, place = (0, 1) if order == VALUE_INDEX else (1, 0)
        np.testing.assert_array_equal(pairs[:, value], best)
        np.testing.assert_array_equal(np.ascontiguousarray(pairs[:, place]).view(f"u{dtype.itemsize}"), index)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_block_reductions(device: VectorDevice, dtype: np.dtype) -> None:
    lanes, block = 256 // dtype.itemsize, 32 // dtype.itemsize
    a = numbers(dtype, lanes * 3)
    source, rows = device.put(a), a.reshape(3, 8, block)
    got = device.clean("BlockReduceSum", device.empty(24, dtype), source, mask=lanes, repeat=3, dst_strides=(1, 1))
    np.testing.assert_array_equal(got, [tree(row) for row in rows.reshape(24, block)])
    got = device.clean("BlockReduceMax", device.empty(24, dtype), source, mask=lanes, repeat=3, dst_strides=(1, 1))
    np.testing.assert_array_equal(got, rows.max(2).reshape(-1))
    got = device.clean("BlockReduceMin", device.empty(24, dtype), source, mask=lanes, repeat=3, dst_strides=(1, 1))
    np.testing.assert_array_equal(got, rows.min(2).reshape(-1))


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_pair_sum(device: VectorDevice, dtype: np.dtype) -> None:
    lanes = 256 // dtype.itemsize
    a = numbers(dtype, lanes * 2)
    got = device.clean(
        "PairReduceSum", device.empty(lanes, dtype), device.put(a), mask=lanes, repeat=2, dst_strides=(1, 1)
    )
    np.testing.assert_array_equal(got, a[::2] + a[1::2])


def test_repeat_reduce_sum_takes_block_stride_zero_as_one(device: VectorDevice) -> None:
    a = numbers(F32, 64)
    target = device.empty(8, F32)
    options = {"dst_strides": (0, 1), "src_strides": ((0, 1),)}
    report = device.run("RepeatReduceSum", target, device.put(a), mask=64, repeat=1, **options)
    assert [v.split("|")[:2] for v in report.violations] == [["doubt_blk_stride", "2"]]
    assert device.get(target)[0] == tree(a)
    # One element only: the stride cannot matter, so there is no doubt.
    device.clean("RepeatReduceSum", target, device.put(a), mask=1, repeat=1, **options)
    assert device.get(target)[0] == a[0]


def test_repeat_stride_in_elements_is_a_doubt(device: VectorDevice) -> None:
    source = device.put(np.ones(4096, F32))
    report = device.run(
        "RepeatReduceSum", device.empty(8, F32), source, mask=64, repeat=2, dst_strides=(1, 1), src_strides=((1, 64),)
    )
    assert [v.split("|")[:2] for v in report.violations] == [["doubt_rep_stride", "2"]]


def test_scratch_that_is_too_small_is_visible(device: VectorDevice) -> None:
    a, tmp = numbers(F32, 64 * 40), device.empty(8, F32)
    report = device.run("ReduceMax", device.empty(8, F32), device.put(a), count=64 * 40, option=1, tmp=tmp)
    # 40 repeats, a value and an index each
    assert (tmp.address, tmp.address + 320, True) in report.accesses


def test_result_alignment_follows_the_layout(device: VectorDevice) -> None:
    target, source = device.empty(64, F32), device.put(numbers(F32, 64))
    assert not device.run("WholeReduceSum", target.at(1), source, mask=64, repeat=1).violations
    report = device.run("WholeReduceMax", target.at(1), source, mask=64, repeat=1, option=VALUE_INDEX)
    assert report.violations[0].startswith("ub_misaligned|0|") and "multiple of 8 B" in report.violations[0]
