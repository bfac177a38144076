"""Masks, repeats and strides: which elements a call touches, and the registers it leaves behind."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from harness.model.ops.vector_device import F16, F32, I32, Tensor, VectorDevice

ALL = 2**64 - 1
Array = npt.NDArray[np.generic]


def element(tensor: Tensor, repeat: int, lane: int, strides: tuple[int, int]) -> int:
    """Index of a lane of a repeat in the tensor's plain order; strides (block, repeat) in 32 B."""
    per_block = 32 // tensor.dtype.itemsize
    return (repeat * strides[1] + lane // per_block * strides[0]) * per_block + lane % per_block


def reference_add(
    dst: Array, a: Array, b: Array, tensor: Tensor, lanes: set[int], repeat: int, strides: list[tuple[int, int]]
) -> Array:
    """The documented loop, one element at a time, in order."""
    memory = [dst.copy(), a, b]
    for r in range(repeat):
        for lane in sorted(lanes):
            d, x, y = (element(tensor, r, lane, s) for s in strides)
            memory[0][d] = memory[1][x] + memory[2][y]
    return memory[0]


@pytest.mark.parametrize("dtype", [F16, F32], ids=str)
@pytest.mark.parametrize(
    ("dst", "src0", "src1"),
    [((1, 8), (1, 8), (1, 8)), ((1, 8), (1, 8), (0, 1)), ((2, 16), (1, 8), (3, 0)), ((1, 4), (1, 8), (1, 8))],
    ids=["plain", "block broadcast", "spread", "overlapping results"],
)
@pytest.mark.parametrize("mask", [1, 20, "full"])
def test_strides_and_length_masks(
    device: VectorDevice,
    dtype: np.dtype,
    dst: tuple[int, int],
    src0: tuple[int, int],
    src1: tuple[int, int],
    mask: object,
) -> None:
    lanes = 256 // dtype.itemsize
    length = lanes if mask == "full" else int(str(mask))
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-99, 99, 2000).astype(dtype) for _ in range(2))
    target = device.put(np.full(3000, 7, dtype))
    before = device.get(target)
    got = device.clean(
        "Add", target, device.put(a), device.put(b), mask=length, repeat=3, dst_strides=dst, src_strides=(src0, src1)
    )
    want = reference_add(before, a, b, target, set(range(length)), 3, [dst, src0, src1])
    np.testing.assert_array_equal(got, want)


def test_bit_mask_selects_lanes_of_every_repeat(device: VectorDevice) -> None:
    words = [0xF0F0_0000_8000_0001, 0x1]
    lanes = {i for i in range(128) if (words[i // 64] >> (i % 64)) & 1}
    a = np.arange(512).astype(F16)
    target = device.put(np.zeros(512, F16))
    got = device.clean("Add", target, device.put(a), device.put(a), mask=words, repeat=4)
    want = np.zeros(512, F16)
    for r in range(4):
        for lane in lanes:
            want[r * 128 + lane] = 2 * a[r * 128 + lane]
    np.testing.assert_array_equal(got, want)


def test_four_byte_types_use_the_low_word_only(device: VectorDevice) -> None:
    a = np.arange(64).astype(F32)
    target = device.put(np.zeros(64, F32))
    got = device.clean("Add", target, device.put(a), device.put(a), mask=[0xFF, ALL], repeat=1)
    np.testing.assert_array_equal(got, np.where(np.arange(64) < 8, 2 * a, 0))


@pytest.mark.parametrize(
    ("length", "words"),
    [(64, (ALL, 0)), (128, (ALL, ALL)), (10, (0x3FF, 0)), (70, (ALL, 0x3F))],
)
def test_length_becomes_mask_words(device: VectorDevice, length: int, words: tuple[int, int]) -> None:
    source = device.put(np.ones(128, F16))
    device.clean("Add", device.empty(128, F16), source, source, mask=length, repeat=1)
    assert device.mask_state() == (False, *words)


def test_sixty_four_on_half_is_half_a_repeat(device: VectorDevice) -> None:
    a = np.ones(128, F16)
    target = device.put(np.zeros(128, F16))
    got = device.clean("Add", target, device.put(a), device.put(a), mask=64, repeat=1)
    np.testing.assert_array_equal(got, [2] * 64 + [0] * 64)


def test_count_form_resets_a_mask_that_was_set(device: VectorDevice) -> None:
    device.set_mask(True, 5, 0)
    source = device.put(np.ones(130, F16))
    got = device.clean("Add", device.empty(130, F16), source, source, count=130)
    np.testing.assert_array_equal(got, np.full(130, 2))
    assert device.mask_state() == (False, ALL, ALL)


def test_counter_mode_ignores_repeat_and_high_word(device: VectorDevice) -> None:
    device.set_mask(True, 130, ALL)
    source = device.put(np.ones(400, F16))
    target = device.put(np.zeros(400, F16))
    got = device.clean("Add", target, source, source, mask=0, repeat=1, set_mask=False)
    np.testing.assert_array_equal(got, [2] * 130 + [0] * 270)
    assert device.mask_state() == (True, 130, ALL)


def test_counter_mode_keeps_strides(device: VectorDevice) -> None:
    device.set_mask(True, 0, 0)
    a = np.arange(256).astype(F32)
    target = device.put(np.zeros(256, F32))
    got = device.clean("Adds", target, device.put(a), mask=72, repeat=1, dst_strides=(1, 16), scalar=F32.type(1))
    want = np.zeros(256, F32)
    want[:64] = a[:64] + 1
    want[128:136] = a[64:72] + 1
    np.testing.assert_array_equal(got, want)


def test_callers_mask_stands_without_set_mask(device: VectorDevice) -> None:
    device.set_mask(False, 0b101, 0)
    source = device.put(np.ones(64, F32))
    target = device.put(np.zeros(64, F32))
    got = device.clean("Add", target, source, source, mask=64, repeat=1, set_mask=False)
    np.testing.assert_array_equal(got[:4], [2, 0, 2, 0])


def test_accumulation_over_repeats(device: VectorDevice) -> None:
    a = np.arange(64 * 9).astype(F32)
    total = device.put(np.zeros(64, F32))
    source = device.put(a)
    got = device.clean("Add", total, source, total, mask=64, repeat=9, dst_strides=(1, 0), src_strides=((1, 8), (1, 0)))
    np.testing.assert_array_equal(got, a.reshape(9, 64).sum(0))


@pytest.mark.parametrize("options", [{"count": 0}, {"mask": 0, "repeat": 4}, {"mask": 64, "repeat": 0}])
def test_nothing_to_do(device: VectorDevice, options: dict[str, int]) -> None:
    target = device.put(np.full(64, 3, F32))
    report = device.run("Abs", target, device.put(np.ones(64, F32)), **options)
    assert not report.violations and not report.records
    np.testing.assert_array_equal(device.get(target), np.full(64, 3))


def test_record_and_ranges(device: VectorDevice) -> None:
    source = device.put(np.ones(777, F16))
    target = device.empty(777, F16)
    report = device.run("Exp", target, source, count=777)
    assert report.accesses == [
        (source.address, source.address + 1554, False),
        (target.address, target.address + 1554, True),
    ]
    (record,) = report.records
    assert (record["op"], record["dtype"], record["repeats"], record["elements"]) == (device.ops["Exp"], 0, 7, 777)
    assert record["address"] == target.address


def test_strided_ranges_leave_the_gaps_out(device: VectorDevice) -> None:
    source = device.put(np.ones(64, F32))
    target = device.put(np.zeros(512, F32))
    report = device.run("Abs", target, source, mask=16, repeat=2, dst_strides=(4, 16), src_strides=((1, 0),))
    writes = [(b - target.address, e - target.address) for b, e, w in report.accesses if w]
    assert writes == [(0, 32), (128, 160), (512, 544), (640, 672)]
    assert [(b, e) for b, e, w in report.accesses if not w] == [(source.address, source.address + 64)]


def test_timing_mode_checks_but_leaves_values(device: VectorDevice) -> None:
    device.reset(functional=False)
    target = device.put(np.zeros(64, F32))
    report = device.run("Adds", target, device.put(np.ones(64, F32)).at(1), count=60, scalar=F32.type(1))
    assert len(report.records) == 1 and "ub_misaligned" in report.violations[0]
    np.testing.assert_array_equal(device.get(target), np.zeros(64))


# Bank conflicts as in the published bank_conflict_ub example (float, 4096 elements): addresses and the outcome.
@pytest.mark.parametrize(
    ("src0", "src1", "dst", "flags"),
    [(0x0, 0x10100, 0x20000, 0), (0x0, 0x10000, 0x14100, 1), (0x0, 0x10100, 0x4020, 2)],
    ids=["none", "read-read", "read-write"],
)
def test_bank_conflicts(device: VectorDevice, src0: int, src1: int, dst: int, flags: int) -> None:
    report = device.run("Add", *(Tensor(at, F32, 4096) for at in (dst, src0, src1)), count=4096)
    assert report.records[0]["flags"] == flags


def test_partial_bank_conflict(device: VectorDevice) -> None:
    # Scenario 7 of the same example: src0 gives one block a repeat (block stride 0, repeat stride 1).
    src0, src1 = Tensor(0x0, F32, 4096), Tensor(0x10100, F32, 4096)
    report = device.run("Add", src1, src0, src1, mask=64, repeat=64, src_strides=((0, 1), (1, 8)))
    assert report.records[0]["flags"] == 8


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"count": -1}, "count_negative"),
        ({"mask": 65, "repeat": 1}, "mask_range"),
        ({"mask": 64, "repeat": 256}, "repeat_range"),
    ],
)
def test_parameter_ranges(device: VectorDevice, options: dict[str, int], code: str) -> None:
    source = device.put(np.ones(64, F32))
    report = device.run("Abs", device.empty(64, F32), source, **options)
    assert [v.split("|")[0] for v in report.violations] == [code]


def test_shifted_in_place_is_an_overlap(device: VectorDevice) -> None:
    source = device.put(np.ones(1024, F32))
    report = device.run("Adds", source.at(8), source, count=512, scalar=F32.type(1))
    assert report.violations[0].startswith("overlap|0|")
    assert not device.run("Adds", source, source.at(8), count=512, scalar=F32.type(1)).violations


def test_type_that_the_chip_lacks(device: VectorDevice) -> None:
    source = device.put(np.ones(64, I32))
    report = device.run("Div", device.empty(64, I32), source, source, count=64)
    assert report.failed and report.violations == ["dtype|fatal|Div does not take int32_t on this chip"]


def test_copy_in_counter_mode_counts_the_elements_of_each_repeat(device: VectorDevice) -> None:
    # The example of the documentation: 18 rows of 64, of each the first block; then two repeats of 20 elements.
    rows = np.arange(18 * 64).astype(np.int32)
    device.set_mask(True, 144, 0)
    target = device.put(np.zeros(144, np.int32))
    got = device.clean("Copy", target, device.put(rows), set_mask=False, repeat=1, src_strides=((8, 8),))
    np.testing.assert_array_equal(got, rows.reshape(18, 64)[:, :8].ravel())
    device.set_mask(True, 20, 0)
    target = device.put(np.zeros(64, np.int32))
    got = device.clean("Copy", target, device.put(rows), set_mask=False, repeat=2, dst_strides=(1, 4))
    want = np.zeros(64, np.int32)
    want[:20], want[32:52] = rows[:20], rows[64:84]
    np.testing.assert_array_equal(got, want)
