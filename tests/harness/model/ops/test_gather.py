"""Gathers, block broadcast, shape broadcast and index sequences."""

from __future__ import annotations

import ctypes

import numpy as np
import numpy.typing as npt
import pytest
from harness.model.ops.vector_device import BF16, F16, F32, I16, I32, U16, U32, Tensor, VectorDevice

Array = npt.NDArray[np.generic]


def pattern(dtype: np.dtype, count: int) -> Array:
    """Different bits everywhere."""
    return np.arange(1, count + 1).astype(f"u{dtype.itemsize}").view(dtype)


@pytest.mark.parametrize("dtype", [F16, BF16, I16, F32, I32], ids=str)
def test_gather_by_byte_offsets(device: VectorDevice, dtype: np.dtype) -> None:
    a = pattern(dtype, 500)
    index = np.random.default_rng(1).integers(0, 490, 300)
    offsets = device.put((index * dtype.itemsize).astype(U32))
    base = U32.type(10 * dtype.itemsize)
    got = device.clean("Gather", device.empty(300, dtype), device.put(a), offsets, count=300, scalar=base)
    np.testing.assert_array_equal(got.view(np.uint8), a[index + 10].view(np.uint8))


def test_gather_reports_bad_offsets(device: VectorDevice) -> None:
    source = device.put(np.arange(16).astype(F32))
    offsets = device.put(np.array([0, 2, 64, 4], U32))
    report = device.run("Gather", device.empty(8, F32), source, offsets, count=4, scalar=U32.type(0))
    assert [v.split("|")[0] for v in report.violations] == ["gather_offset", "gather_range"]


def test_gatherb_moves_blocks(device: VectorDevice) -> None:
    a = np.arange(8 * 32).astype(F32)
    order = np.random.default_rng(2).permutation(32)[:16]
    offsets = device.put((order * 32).astype(U32))
    got = device.clean("Gatherb", device.empty(128, F32), device.put(a), offsets, repeat=2)
    np.testing.assert_array_equal(got.reshape(16, 8), a.reshape(32, 8)[order])


def gather_mask(device: VectorDevice, dst: Tensor, *sources: Tensor, **options: object) -> tuple[int, list[str]]:
    kept = ctypes.c_uint64(99)
    call = device.build("GatherMask", dst, *sources, **options)  # type: ignore[arg-type]
    call.scalar = ctypes.addressof(kept)
    report = device.submit(call)
    return kept.value, report.violations


# Pattern number and the remainders it keeps, from the documentation's list.
PATTERNS = {1: (2, [0]), 2: (2, [1]), 3: (4, [0]), 4: (4, [1]), 5: (4, [2]), 6: (4, [3]), 7: (1, [0])}


@pytest.mark.parametrize("number", PATTERNS)
@pytest.mark.parametrize("dtype", [F16, F32], ids=str)
def test_gather_mask_fixed_patterns(device: VectorDevice, number: int, dtype: np.dtype) -> None:
    lanes = 256 // dtype.itemsize
    a = pattern(dtype, lanes * 3)
    target = device.empty(lanes * 3, dtype)
    kept, violations = gather_mask(
        device, target, device.put(a), option=number, count=0, repeat=3, src_strides=((1, 8), (0, 0))
    )
    period, remainders = PATTERNS[number]
    want = a[np.isin(np.arange(a.size) % period, remainders)]
    assert not violations and kept == want.size
    np.testing.assert_array_equal(device.get(target, kept).view(np.uint8), want.view(np.uint8))


def test_gather_mask_counter_mode_takes_mask_elements_a_repeat(device: VectorDevice) -> None:
    # 70 elements a repeat, repeats 16 blocks apart: x of x, y, ... pairs.
    a = np.arange(512).astype(F32)
    target = device.empty(200, F32)
    device.set_mask(True, 5, 0)
    kept, violations = gather_mask(
        device, target, device.put(a), option=2, mode=1, count=70, repeat=2, src_strides=((1, 16), (0, 0))
    )
    want = np.concatenate([a[1:70:2], a[129:198:2]])
    assert not violations and kept == 70
    np.testing.assert_array_equal(device.get(target, 70), want)
    assert device.mask_state()[0] is False


def test_gather_mask_by_tensor(device: VectorDevice) -> None:
    a = np.arange(128).astype(F32)
    bits = np.array([0x99999999, 0x1, 0, 0, 0, 0, 0, 0, 0x80000000, 0xFF, 0, 0, 0, 0, 0, 0], U32)
    target = device.empty(128, F32)
    kept, violations = gather_mask(
        device, target, device.put(a), device.put(bits), count=0, repeat=2, src_strides=((1, 8), (0, 1))
    )
    flags = np.unpackbits(bits.view(np.uint8), bitorder="little").astype(bool)
    want = np.concatenate([a[:64][flags[:64]], a[64:][flags[256:320]]])
    assert not violations and kept == want.size
    np.testing.assert_array_equal(device.get(target, kept), want)


@pytest.mark.parametrize("dtype", [I16, BF16, F32], ids=str)
def test_brcb_fills_blocks(device: VectorDevice, dtype: np.dtype) -> None:
    a, per_block = pattern(dtype, 24), 32 // dtype.itemsize
    got = device.clean("Brcb", device.empty(24 * per_block, dtype), device.put(a), repeat=3)
    np.testing.assert_array_equal(got.view(np.uint8), np.repeat(a, per_block).view(np.uint8))


def test_brcb_resets_the_mask_and_refuses_block_stride_zero(device: VectorDevice) -> None:
    device.set_mask(False, 1, 0)
    report = device.run("Brcb", device.empty(64, F32), device.put(np.ones(8, F32)), repeat=1, dst_strides=(0, 8))
    assert report.violations[0].startswith("stride_zero|0|")
    assert device.mask_state() == (False, 2**64 - 1, 2**64 - 1)


@pytest.mark.parametrize(("rows", "columns"), [(1, 16), (5, 1), (5, 16), (1, 1)])
def test_broadcast(device: VectorDevice, rows: int, columns: int) -> None:
    a = np.arange(rows * columns).astype(F32).reshape(rows, columns)
    call = device.build("BroadCast", device.empty(80, F32), device.put(a))
    call.count, call.mask[0], call.mask[1] = 5, 16, (rows << 32) | columns
    report = device.submit(call)
    assert not report.violations
    got = device.get(Tensor(call.dst.address, F32, 80)).reshape(5, 16)
    np.testing.assert_array_equal(got, np.broadcast_to(a, (5, 16)))


@pytest.mark.parametrize("dtype", [I16, I32, F32, F16], ids=str)
def test_index_sequences(device: VectorDevice, dtype: np.dtype) -> None:
    got = device.clean("CreateVecIndex", device.empty(200, dtype), count=200, scalar=dtype.type(3))
    np.testing.assert_array_equal(got, (np.arange(200) + 3).astype(dtype))
    call = device.build("ArithProgression", device.empty(200, dtype), count=200, scalar=dtype.type(5))
    call.mask[0] = int.from_bytes(np.asarray(2, dtype).tobytes(), "little")
    assert not device.submit(call).violations
    got = device.get(Tensor(call.dst.address, dtype, 200))
    np.testing.assert_array_equal(got, (5 + 2 * np.arange(200)).astype(dtype))


def test_half_index_loses_integers_above_2048(device: VectorDevice) -> None:
    got = device.clean("CreateVecIndex", device.empty(4096, F16), count=4096, scalar=F16.type(0))
    np.testing.assert_array_equal(got[:2049], np.arange(2049))
    assert (got[2049:] != np.arange(2049, 4096)).any()


@pytest.mark.parametrize("dtype", [U16, U32, BF16], ids=str)
def test_copy_with_strides(device: VectorDevice, dtype: np.dtype) -> None:
    per_block = 32 // dtype.itemsize
    a = pattern(dtype, 40 * per_block)
    target = device.empty(40 * per_block, dtype)
    device.clean("Copy", target, device.put(a), mask=per_block, repeat=4, dst_strides=(1, 1), src_strides=((1, 10),))
    want = a.reshape(40, per_block)[[0, 10, 20, 30]]
    np.testing.assert_array_equal(device.get(target, 4 * per_block).view(np.uint8), want.reshape(-1).view(np.uint8))
