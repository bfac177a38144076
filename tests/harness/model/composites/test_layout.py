"""Layout changes, sorting, selection by bytes and quantisation against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from harness.model.composites.conftest import Array, Runner

KERNELS = "layout.cpp"
pytestmark = pytest.mark.timeout(600)
RNG = np.random.default_rng(7)


def test_square_transpose(runner: Runner) -> None:
    x = np.arange(256, dtype=np.float16).reshape(16, 16)
    ran = runner("square", [x], [np.zeros_like(x)])
    np.testing.assert_array_equal(ran.outputs[0], x.T)


@pytest.mark.parametrize(("n", "c", "h", "w"), [(1, 3, 4, 8), (2, 16, 2, 4), (1, 5, 1, 8)])
def test_channels_last_and_back(runner: Runner, n: int, c: int, h: int, w: int) -> None:
    x = np.arange(n * c * h * w, dtype=np.float32).reshape(n, c, h, w)
    last = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
    ran = runner("channels", [x], [np.zeros_like(last)], (n, c, h, w, 0))
    np.testing.assert_array_equal(ran.outputs[0], last)
    ran = runner("channels", [last], [np.zeros_like(x)], (n, c, h, w, 1))
    np.testing.assert_array_equal(ran.outputs[0], x)


def fractal(x: Array) -> Array:
    """The last two axes as column blocks of sixteen, made up with zeros."""
    *outer, rows, columns = x.shape
    whole = np.zeros((*outer, -(-rows // 16) * 16, -(-columns // 16) * 16), x.dtype)
    whole[..., :rows, :columns] = x
    return np.ascontiguousarray(whole.reshape(*outer, whole.shape[-2], -1, 16).swapaxes(-3, -2))


def wide(x: Array) -> Array:
    """The last axis made up to sixteens with zeros."""
    return np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, -x.shape[-1] % 16)])


B, N, S, D = 2, 3, 32, 24
FOUR = np.arange(1, B * N * S * D + 1).reshape(B, N, S, D) % 2039
JOINED = FOUR.transpose(0, 2, 1, 3).reshape(B, S, N * D)
# Kind of TransposeType: what it reads and what it writes, of a tensor [B, N, S, D].
AXES = {
    1: (fractal(FOUR), wide(FOUR.transpose(0, 2, 1, 3))),
    2: (fractal(FOUR), fractal(FOUR.transpose(0, 2, 1, 3))),
    3: (fractal(JOINED), fractal(FOUR)),
    4: (fractal(JOINED), wide(FOUR)),
    5: (fractal(FOUR), wide(JOINED)),
    6: (fractal(FOUR), fractal(JOINED)),
}


@pytest.mark.parametrize("kind", AXES)
@pytest.mark.parametrize("name", ["half", "float"])
def test_axes_of_fractal_layouts(runner: Runner, kind: int, name: str) -> None:
    dtype = np.float16 if name == "half" else np.float32
    if name == "float":
        before, after = (side[:1] for side in AXES[kind])
    else:
        before, after = AXES[kind]
    sizes = (len(before), N, S, D, kind, before.size, after.size, kind % 2)
    ran = runner(f"axes_{name}", [before.astype(dtype)], [np.zeros(after.shape, dtype)], sizes)
    np.testing.assert_array_equal(ran.outputs[0], after)


@pytest.mark.parametrize(("kind", "order"), [(7, (0, 2, 1)), (13, (0, 2, 1)), (14, (1, 0, 2)), (15, (2, 1, 0))])
def test_axes_of_plain_layouts(runner: Runner, kind: int, order: tuple[int, int, int]) -> None:
    n = 1 if kind == 7 else 5
    x = np.arange(n * 16 * 8, dtype=np.float32).reshape(n, 16, 8)
    after = np.ascontiguousarray(x.transpose(order))
    ran = runner("axes_float", [x], [np.zeros_like(after)], (1, n, 16, 8, kind, x.size, x.size))
    np.testing.assert_array_equal(ran.outputs[0], after)


@pytest.mark.parametrize("form", [0, 1])
@pytest.mark.parametrize("repeats", [1, 3])
def test_sixteen_blocks_of_half(runner: Runner, repeats: int, form: int) -> None:
    """Repeat r turns columns 16r.. of the sixteen rows into sixteen blocks of 16."""
    x = np.arange(16 * 16 * repeats, dtype=np.float16).reshape(16, repeats, 16)
    ran = runner("exchange_half", [x], [np.zeros(x.size, np.float16)], (repeats, repeats, 0, form))
    np.testing.assert_array_equal(ran.outputs[0].reshape(repeats, 16, 16), x.transpose(1, 2, 0))


@pytest.mark.parametrize("repeats", [1, 2])
def test_sixteen_blocks_of_float_fill_two_blocks_a_column(runner: Runner, repeats: int) -> None:
    x = np.arange(16 * 8 * repeats, dtype=np.float32).reshape(16, repeats, 8)
    ran = runner("exchange_float", [x], [np.zeros(x.size, np.float32)], (repeats, repeats, 0, 1))
    np.testing.assert_array_equal(ran.outputs[0].reshape(repeats, 8, 16), x.transpose(1, 2, 0))


@pytest.mark.parametrize(("dst_high", "src_high"), [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_half_blocks_of_bytes(runner: Runner, dst_high: int, src_high: int) -> None:
    x = RNG.integers(-128, 128, (16, 32), dtype=np.int8)
    ran = runner("exchange_byte", [x], [np.zeros(512, np.int8)], (1, 1, dst_high | src_high << 1, 1))
    expected = np.zeros((16, 32), np.int8)
    expected[:, 16 * dst_high : 16 * dst_high + 16] = x[:, 16 * src_high : 16 * src_high + 16].T
    np.testing.assert_array_equal(ran.outputs[0].reshape(16, 32), expected)


def test_blocks_named_by_registers(runner: Runner) -> None:
    x = np.arange(512, dtype=np.int16).reshape(16, 2, 16)
    ran = runner("exchange_registers", [x], [np.zeros(512, np.int16)])
    np.testing.assert_array_equal(ran.outputs[0].reshape(2, 16, 16), x.transpose(1, 2, 0))


def records(scores: Array, indices: Array) -> Array:
    """8 bytes each: the score in the low bytes, the index in the high four."""
    raw = np.zeros((scores.size, 2), np.uint32)
    size = scores.dtype.itemsize
    raw[:, 0] = scores.reshape(-1).view(np.uint16 if size == 2 else np.uint32)
    raw[:, 1] = indices.reshape(-1)
    return raw


def order(scores: Array) -> Array:
    return np.argsort(-scores.astype(np.float64), kind="stable")


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("groups", [1, 5])
def test_sorting_keeps_the_order_of_equal_scores(runner: Runner, dtype: type, mode: int, groups: int) -> None:
    scores = RNG.integers(-9, 9, groups * 32).astype(dtype)
    indices = RNG.integers(0, 2**32, groups * 32, dtype=np.uint32)
    entry = "sorted_float" if dtype == np.float32 else "sorted_half"
    ran = runner(entry, [scores, indices], [np.zeros((groups * 32, 2), np.uint32)], (groups, mode))
    if mode == 1:
        by = order(scores)
        expected = records(scores[by], indices[by])
    else:
        parts = [slice(g * 32, g * 32 + 32) for g in range(groups)]
        expected = np.concatenate([records(scores[p][order(scores[p])], indices[p][order(scores[p])]) for p in parts])
    np.testing.assert_array_equal(ran.outputs[0], expected)


@pytest.mark.parametrize(("lengths", "valid"), [((32, 32, 32, 32), 15), ((5, 9, 0, 0), 3), ((3, 4, 11, 0), 7)])
def test_merging_sorted_lists(runner: Runner, lengths: tuple[int, ...], valid: int) -> None:
    lists = [np.sort(RNG.integers(0, 20, n).astype(np.float32))[::-1] for n in lengths]
    scores = np.concatenate(lists)
    raw = records(scores, np.arange(scores.size, dtype=np.uint32))
    ran = runner("merged", [raw], [np.zeros_like(raw), np.zeros(4, np.uint32)], (*lengths, valid))
    np.testing.assert_array_equal(ran.outputs[0], raw[order(scores)])
    np.testing.assert_array_equal(ran.outputs[1], lengths)


def test_merging_stops_when_one_list_ends(runner: Runner) -> None:
    scores = np.array([9, 8, 7, 6, 5, 8, 7.5, 3, 2, 1], np.float32)
    raw = records(scores, np.arange(10, dtype=np.uint32))
    ran = runner("merged", [raw], [np.zeros_like(raw), np.zeros(4, np.uint32)], (5, 5, 0, 0, 3, 1))
    # 9 8 8 7.5 7 6 5: the first list ends.
    np.testing.assert_array_equal(ran.outputs[1], [5, 2, 0, 0])
    np.testing.assert_array_equal(ran.outputs[0][:7, 1], [0, 1, 5, 6, 2, 3, 4])
    assert not ran.outputs[0][7:].any()


def test_extract_parts_scores_and_indices(runner: Runner) -> None:
    scores = RNG.normal(size=64).astype(np.float32)
    indices = RNG.integers(0, 2**32, 64, dtype=np.uint32)
    ran = runner("extracted", [records(scores, indices)], [np.zeros_like(scores), np.zeros_like(indices)], (2,))
    np.testing.assert_array_equal(ran.outputs[0], scores)
    np.testing.assert_array_equal(ran.outputs[1], indices)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(("rows", "width", "mask_width"), [(2, 32, 32), (3, 16, 64)])
def test_selection_by_bytes(runner: Runner, rows: int, width: int, mask_width: int, first: int) -> None:
    x = RNG.normal(size=(rows, width)).astype(np.float16)
    mask = RNG.integers(0, 3, (rows, mask_width)).astype(np.uint8)
    ran = runner("by_bytes", [x, mask], [np.zeros_like(x)], (rows, width, mask_width, first), (0.5,))
    zero = mask[:, :width] == 0
    expected = np.where(zero, np.float16(0.5), x) if first else np.where(zero, x, np.float16(0.5))
    np.testing.assert_array_equal(ran.outputs[0], expected)


@pytest.mark.parametrize("one", [0, 1])
@pytest.mark.parametrize(("m", "n", "count"), [(4, 8, 4), (3, 16, 16), (2, 24, 20)])
def test_dequantisation_of_the_columns_that_count(runner: Runner, m: int, n: int, count: int, one: int) -> None:
    x = RNG.integers(-1000, 1000, (m, n), dtype=np.int32)
    scale = RNG.uniform(0.1, 2, count).astype(np.float32)
    pitch = (n + 15) // 16 * 16
    ran = runner("dequantised", [x, scale], [np.zeros((m, pitch), np.float16)], (m, n, count, one), (0.25,))
    expected = np.zeros((m, pitch), np.float16)
    expected[:, :count] = x[:, :count].astype(np.float32) * (np.float32(0.25) if one else scale)
    np.testing.assert_array_equal(ran.outputs[0], expected)


def test_one_row_of_whole_groups_is_read_as_many(runner: Runner) -> None:
    x = np.arange(64, dtype=np.int32).reshape(1, 64)
    scale = np.linspace(1, 2, 16).astype(np.float32)
    ran = runner("dequantised", [x, scale], [np.zeros((1, 64), np.float16)], (1, 64, 16))
    expected = (x.reshape(4, 16).astype(np.float32) * scale).astype(np.float16)
    np.testing.assert_array_equal(ran.outputs[0].reshape(4, 16), expected)


@pytest.mark.parametrize("scales", [0, 32])
def test_quantisation_rounds_and_saturates(runner: Runner, scales: int) -> None:
    x = np.concatenate([[0.5, 1.5, 2.5, -0.5, 500, -500, 0, 63.49], RNG.uniform(-60, 60, 88)]).astype(np.float32)
    scale = RNG.uniform(0.5, 2, max(scales, 1)).astype(np.float32)
    factor = np.tile(scale, 96 // scales) if scales else np.float32(1)
    ran = runner("quantised", [x, scale], [np.zeros(96, np.int8)], (96, scales), (1.0, 2.0))
    half = (x * factor + np.float32(2)).astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(ran.outputs[0], np.clip(np.rint(half), -128, 127).astype(np.int8))


@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize(("rows", "inner", "n", "k"), [(1, 32, 32, 5), (3, 64, 50, 8), (2, 160, 150, 33)])
def test_top_k_by_position(runner: Runner, rows: int, inner: int, n: int, k: int, largest: int) -> None:
    x = RNG.integers(-20, 20, (rows, inner)).astype(np.float32)
    pitch = (k + 7) // 8 * 8
    index, done = np.zeros(inner, np.int32), np.zeros(rows, np.uint8)
    outputs = [np.zeros((rows, pitch), np.float32), np.zeros((rows, pitch), np.int32)]
    ran = runner("top_positions", [x, index, done], outputs, (rows, inner, n, k, largest))
    by = np.argsort(-x[:, :n] if largest else x[:, :n], axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(ran.outputs[1][:, :k], by)
    np.testing.assert_array_equal(ran.outputs[0][:, :k], np.take_along_axis(x, by, 1))


@pytest.mark.parametrize("own", [0, 1])
def test_top_k_with_given_indices(runner: Runner, own: int) -> None:
    """One row of indices for all rows and finished rows, or (small mode) indices of their own."""
    rows, k = 3, 4
    x = RNG.normal(size=(rows, 32)).astype(np.float32)
    index = RNG.permutation(1000)[: 32 * (rows if own else 1)].astype(np.int32).reshape(-1, 32)
    done = np.array([0, 1, 0], np.uint8)
    outputs = [np.zeros((rows, 8), np.float32), np.zeros((rows, 8), np.int32)]
    ran = runner("top_given", [x, index, done], outputs, (rows, 32, 30, k, 1, own))
    by = np.argsort(-x[:, :30], axis=1, kind="stable")[:, :k]
    expected = np.take_along_axis(np.broadcast_to(index, (rows, 32)), by, 1).copy()
    if not own:
        expected[1] = 30
    np.testing.assert_array_equal(ran.outputs[1][:, :k], expected)


def test_rows_are_padded_on_both_sides(runner: Runner) -> None:
    x = np.arange(60, dtype=np.float16).reshape(4, 15)
    ran = runner("padded", [x], [np.zeros((4, 16), np.float16)], (4, 15, 15, 1, 0, 0, 64), (-3.0,))
    np.testing.assert_array_equal(ran.outputs[0], np.pad(x, ((0, 0), (1, 0)), constant_values=-3))


def test_rows_of_whole_blocks_are_filled_where_they_do_not_count(runner: Runner) -> None:
    x = np.arange(64, dtype=np.float16).reshape(4, 16)
    ran = runner("padded", [x], [np.zeros((4, 16), np.float16)], (4, 16, 14, 0, 2, 0, 64), (9.0,))
    expected = x.copy()
    expected[:, 14:] = 9
    np.testing.assert_array_equal(ran.outputs[0], expected)


def test_rows_are_cut(runner: Runner) -> None:
    x = np.arange(64, dtype=np.float16).reshape(4, 16)
    ran = runner("padded", [x], [np.zeros((4, 13), np.float16)], (4, 16, 16, 0, 3, 1, 52))
    np.testing.assert_array_equal(ran.outputs[0], x[:, :13])


@pytest.mark.parametrize("bits", [0, 1])
def test_dropping_by_bytes_or_bits(runner: Runner, bits: int) -> None:
    x = RNG.normal(size=(3, 256)).astype(np.float32)
    keep = RNG.integers(0, 2, (3, 256)).astype(np.uint8)
    mask = np.packbits(keep, axis=1, bitorder="little") if bits else keep
    ran = runner("dropped", [x, mask], [np.zeros_like(x)], (3, 256, mask.shape[1]), (0.8,))
    np.testing.assert_array_equal(ran.outputs[0], np.where(keep, x * (np.float32(1) / np.float32(0.8)), 0))


@pytest.mark.parametrize("groups", [0, 1, 2])
def test_weights_back_to_half(runner: Runner, groups: int) -> None:
    x = RNG.integers(-128, 128, (8, 32), dtype=np.int8)
    scale, offset = (RNG.uniform(-2, 2, (max(groups, 1), 32)).astype(np.float16) for _ in range(2))
    ran = runner("weights", [x, scale, offset], [np.zeros((8, 32), np.float16)], (8, 32, groups), (0.5, 3.0))
    if groups:
        scales, offsets = (np.repeat(v, 8 // groups, axis=0).astype(np.float32) for v in (scale, offset))
    else:
        scales, offsets = np.float32(0.5), np.float32(3)
    moved = (x.astype(np.float32) + offsets).astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(ran.outputs[0], (moved * scales).astype(np.float16))


@pytest.mark.parametrize("by_block", [0, 1])
@pytest.mark.parametrize("mask", [128, 40])
def test_interpolation_weights_gathered_blocks(runner: Runner, by_block: int, mask: int) -> None:
    across, down = 2, 2
    x = RNG.integers(-16, 16, 512).astype(np.float16)
    offsets = RNG.integers(0, 32, across * down * 8).astype(np.uint32) * 32
    weights = RNG.integers(-4, 5, across * down * (8 if by_block else 1)).astype(np.float16)
    ran = runner(
        "interpolated", [x, offsets, weights], [np.zeros(down * 128, np.float16)], (across, down, by_block, mask)
    )
    blocks = x.reshape(32, 16)[offsets // 32].reshape(down, across, 8, 16).astype(np.float32)
    factors = weights.astype(np.float32).reshape(down, across, -1, 1)
    expected = (blocks * factors).sum(1).reshape(down, 128)
    expected[:, mask:] = 0
    np.testing.assert_array_equal(ran.outputs[0].reshape(down, 128), expected.astype(np.float16))


@pytest.mark.parametrize("shape", [(2, 17, 2, 3, 5), (16, 16, 1, 4, 8), (18, 5, 1, 2, 8)])
@pytest.mark.parametrize("way", [0, 1, 2, 3])
def test_five_dimensions_and_the_cube_units_formats(runner: Runner, shape: tuple[int, ...], way: int) -> None:
    n, c, d, h, w = shape
    plane = -(-h * w // 16) * 16
    x = RNG.integers(-99, 99, shape).astype(np.float16)
    plain = np.zeros((n, c, d, plane), np.float16)
    plain[..., : h * w] = x.reshape(n, c, d, h * w)
    n_pad, c_pad = -(-n // 16) * 16, -(-c // 16) * 16
    channels = np.zeros((n, c_pad, d, h, w), np.float16)
    channels[:, :c] = x
    if way < 2:
        other = channels.reshape(n, c_pad // 16, 16, d, h, w).transpose(0, 3, 1, 4, 5, 2)
    else:
        both = np.zeros((n_pad, c_pad, d, h, w), np.float16)
        both[:n] = channels
        other = both.reshape(n_pad // 16, 16, c_pad // 16, 16, d, h, w).transpose(4, 2, 5, 6, 0, 1, 3)
    other = np.ascontiguousarray(other)
    given, wanted = (plain, other) if way % 2 == 0 else (other, plain)
    ran = runner("formats", [given], [np.zeros_like(wanted)], (*shape, given.size, wanted.size, way))
    np.testing.assert_array_equal(ran.outputs[0], wanted)
