"""Each structural operator on a kernel of ours: what it makes of the slow form, the way back, what it leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.structural.fixture import FLOAT_TENSORS, Bench, write_blend

from ascendopt.harness.structural.base import StructuralOperator
from ascendopt.harness.structural.registry import structural_operator, structural_operators

HALF_AND_FLOAT = "ge::DT_FLOAT16, ge::DT_FLOAT"
WORK = "LocalTensor<T> work = workBuffer.Get<T>();\n"


def bench(folder: Path, name: str, **parts: object) -> Bench:
    return Bench(write_blend(folder, **parts), name)  # type: ignore[arg-type]


def improved(folder: Path, name: str, part: str, slow: str, fast: str, **parts: object) -> Bench:
    """An improvement of the operator written with ``slow`` gives the one written with ``fast``; returns the latter."""
    slow_bench = bench(folder / "slow", name, **{part: slow}, **parts)
    fast_bench = bench(folder / "fast", name, **{part: fast}, **parts)
    changed = [text for path, text in fast_bench.sources.texts.items() if slow_bench.sources.texts[path] != text]
    results = [slow_bench.text(change) for change in slow_bench.improvements]
    assert "\n".join(changed) in results
    return fast_bench


# ------------------------------------------------------------------ what is registered


def test_at_least_ten_operators_with_stable_names() -> None:
    names = [operator.name for operator in structural_operators()]
    assert len(names) == len(set(names))
    assert {
        "buffer-depth",
        "tile-length",
        "merged-copies",
        "scalar-loop",
        "reciprocal",
        "scalar-operand",
        "narrow-barrier",
        "hoist",
        "ub-copy",
        "even-split",
    } <= set(names)


@pytest.mark.parametrize("operator", structural_operators(), ids=lambda operator: operator.name)
def test_docstring_has_its_headings(operator: StructuralOperator) -> None:
    text = type(operator).__doc__ or ""
    places = [
        text.find(f"    {heading}\n") for heading in ("What it does", "Before", "After", "When", "Why it is faster")
    ]
    assert -1 not in places and places == sorted(places)


def test_unknown_name_is_one_sentence() -> None:
    with pytest.raises(KeyError, match="buffer-depth"):
        structural_operator("buffer-dept")


# ------------------------------------------------------------------ buffer-depth


def test_buffer_depth(tmp_path: Path) -> None:
    slow = bench(tmp_path, "buffer-depth")
    change = slow.improvements[0]
    assert slow.text(change) == slow.sources.texts["op_kernel/blend.cpp"].replace("BUFFER_NUM = 1", "BUFFER_NUM = 2")
    assert not slow.removals
    fast = bench(tmp_path / "fast", "buffer-depth", replace=(("BUFFER_NUM = 1", "BUFFER_NUM = 2"),))
    assert not fast.improvements
    fast.assert_restored()


def test_buffer_depth_changes_the_host_with_it(tmp_path: Path) -> None:
    host = (("TILE_LENGTH = 2048;", "TILE_LENGTH = 2048;\nconstexpr uint32_t BUFFER_NUM = 1;"),)
    both = bench(tmp_path, "buffer-depth", replace=host)
    change = both.improvements[0]
    assert sorted({edit.path.parent.name for edit in change.edits}) == ["op_host", "op_kernel"]


def test_buffer_depth_of_one_queue_in_literals(tmp_path: Path) -> None:
    literal = (
        ("yQueue, BUFFER_NUM", "yQueue, 1"),
        ("TQue<QuePosition::VECOUT, BUFFER_NUM> yQueue", "TQue<QuePosition::VECOUT, 1> yQueue"),
    )
    found = bench(tmp_path, "buffer-depth", replace=literal)
    queue = next(change for change in found.improvements if "yQueue" in change.title)
    text = found.text(queue)
    assert "TQue<QuePosition::VECOUT, 2> yQueue" in text and "InitBuffer(yQueue, 2, " in text


def test_number_of_buffers_alone(tmp_path: Path) -> None:
    # A helper that takes the queue by its type fixes the depth; the number of buffers is free.
    slow = bench(tmp_path / "slow", "buffer-depth")
    change = next(each for each in slow.improvements if "all queues" in each.title)
    text = slow.text(change)
    assert text.count("Queue, 2, tile * sizeof(T));") == 3
    assert "BUFFER_NUM = 1;" in text
    literal = (("x1Queue, BUFFER_NUM", "x1Queue, 2"), ("x2Queue, BUFFER_NUM", "x2Queue, 2"))
    bench(tmp_path / "fast", "buffer-depth", replace=literal).assert_restored()


def test_buffer_depth_leaves_queues_outside_of_loops(tmp_path: Path) -> None:
    assert not bench(tmp_path, "buffer-depth", process="Step(0);").improvements


# ------------------------------------------------------------------ tile-length


def test_tile_length(tmp_path: Path) -> None:
    found = bench(tmp_path, "tile-length")
    (larger,) = found.improvements
    assert found.text(larger) == found.sources.texts["op_host/blend.cpp"].replace(
        "TILE_LENGTH = 2048", "TILE_LENGTH = 4096"
    )
    (smaller,) = found.removals
    assert "TILE_LENGTH = 1024;" in found.text(smaller)
    found.assert_restored()


def test_tile_length_as_a_share_of_ub(tmp_path: Path) -> None:
    share = (("TILE_LENGTH = 2048;", "TILE_LENGTH = 2049;"),)
    split = "uint64_t ubPartNum = (total > 100) ? 8 : 12;\nuint32_t coreLength = total / ubPartNum;\n"
    found = bench(tmp_path, "tile-length", replace=share, split=split)
    assert any("? 4 : 6;" in found.text(change) for change in found.improvements)
    assert any("? 16 : 24;" in found.text(change) for change in found.removals)


@pytest.mark.parametrize("name", ["tile-length", "buffer-depth"])
def test_nothing_that_ub_does_not_hold(tmp_path: Path, name: str) -> None:
    # Five buffers of 8192 floats are 160 KiB of 192: twice the tile, or three more buffers, do not fit.
    assert not bench(tmp_path, name, replace=(("TILE_LENGTH = 2048", "TILE_LENGTH = 8192"),)).improvements
    assert bench(tmp_path, name).improvements


def test_limits_of_instructions_are_no_tiles(tmp_path: Path) -> None:
    limit = bench(tmp_path, "tile-length", replace=(("TILE_LENGTH = 2048", "MAX_TILE_LEN = 4095"),))
    assert not limit.improvements and not limit.removals


# ------------------------------------------------------------------ scalar-operand and reciprocal


def test_scalar_operand_with_a_buffer_of_its_own(tmp_path: Path) -> None:
    slow = f"{WORK}Duplicate(work, static_cast<T>(2), count);\nAdd(x1, x1, work, count);\nMul(y, x1, x2, count);\n"
    found = bench(tmp_path, "scalar-operand", compute=slow)
    (change,) = found.improvements
    text = found.text(change)
    assert "        Adds(x1, x1, static_cast<T>(2), count);\n        Mul(y" in text
    assert "workBuffer" not in text and "Duplicate(work" not in text


def test_scalar_operand_over_the_destination(tmp_path: Path) -> None:
    fast = improved(
        tmp_path,
        "scalar-operand",
        "compute",
        "Duplicate(y, static_cast<T>(2), count);\nMul(y, x1, y, count);\n",
        "Muls(y, x1, static_cast<T>(2), count);\n",
    )
    fast.assert_restored()


def test_scalar_operand_removal_makes_a_buffer(tmp_path: Path) -> None:
    found = bench(tmp_path, "scalar-operand", compute="Add(y, x1, x2, count);\nMaxs(y, y, static_cast<T>(0), count);\n")
    (change,) = found.removals
    text = found.text(change)
    assert "pipe.InitBuffer(scalarBuf, tile * sizeof(T));" in text
    assert "    TBuf<QuePosition::VECCALC> scalarBuf;\n" in text
    assert "        Duplicate(scalarLocal, static_cast<T>(0), count);\n        Max(y, y, scalarLocal, count);\n" in text
    found.assert_restored()


@pytest.mark.parametrize(
    "compute",
    [
        # read again
        f"{WORK}Duplicate(work, static_cast<T>(2), count);\nAdd(y, x1, work, count);\nAdd(y, y, work, count);\n",
        # the number changes in between
        f"{WORK}T s = 2;\nDuplicate(work, s, count);\ns = 3;\nAdd(y, x1, work, count);\n",
        # another count
        f"{WORK}Duplicate(work, static_cast<T>(2), count);\nAdd(y, x1, work, count / 2);\n",
        # not the same tensor
        f"{WORK}Duplicate(work, static_cast<T>(2), count);\nAdd(y, x1, x2, count);\n",
        # another function reads the buffer
        "LocalTensor<T> work = tableBuffer.Get<T>();\n"
        "Duplicate(work, static_cast<T>(2), count);\nAdd(y, x1, work, count);\n",
        # written over in between
        "Duplicate(y, static_cast<T>(2), count);\nMul(y, y, x2, count);\nMul(y, x1, y, count);\n",
    ],
)
def test_scalar_operand_is_not_offered(tmp_path: Path, compute: str) -> None:
    assert not bench(tmp_path, "scalar-operand", compute=compute).improvements


def test_reciprocal(tmp_path: Path) -> None:
    slow = "const float s = this->tile;\nDuplicate(y, s, count);\nDiv(y, x1, y, count);\n"
    fast = "const float s = this->tile;\nMuls(y, x1, 1.0f / s, count);\n"
    improved(tmp_path, "reciprocal", "compute", slow, fast, replace=FLOAT_TENSORS).assert_restored()


def test_reciprocal_of_a_number_that_is_one(tmp_path: Path) -> None:
    fast = "const float rate = 1 / (float)this->tile;\nMuls(y, x1, rate, count);\n"
    found = bench(tmp_path, "reciprocal", compute=fast, replace=FLOAT_TENSORS)
    (change,) = found.removals
    assert "Duplicate(y, 1.0f / rate, count);\n        Div(y, x1, y, count);" in found.text(change)
    found.assert_restored()


def test_reciprocal_only_of_float(tmp_path: Path) -> None:
    slow = "Duplicate(y, static_cast<T>(3), count);\nDiv(y, x1, y, count);\n"
    assert not bench(tmp_path, "reciprocal", compute=slow).improvements
    assert not bench(tmp_path, "reciprocal", compute="Muls(y, x1, static_cast<T>(3), count);\n").removals


# ------------------------------------------------------------------ merged-copies


def test_merged_copies(tmp_path: Path) -> None:
    second = "DataCopy(x2, x2Gm[offset], count);\n"
    slow = (
        "for (uint32_t start = 0; start < count; start += 64) {\n"
        "    DataCopy(x1[start], x1Gm[offset + start], count - start < 64 ? count - start : 64);\n"
        "}\n"
    )
    fast = improved(
        tmp_path, "merged-copies", "copy_in", slow + second, "DataCopy(x1, x1Gm[offset], count);\n" + second
    )
    assert len(fast.removals) == 3  # two in, one out
    fast.assert_restored()


def test_merged_copies_with_padding(tmp_path: Path) -> None:
    copy = (
        "DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};\n"
        "DataCopyPadExtParams<T> pad{false, 0, 0, 0};\n"
        "DataCopyPad(x1, x1Gm[offset], copy, pad);\n"
        "DataCopyPad(x2, x2Gm[offset], copy, pad);\n"
    )
    found = bench(tmp_path, "merged-copies", copy_in=copy)
    text = found.text(found.removals[0])
    assert "static_cast<uint32_t>((count - start < 64 ? count - start : 64) * sizeof(T))" in text
    assert text.count("for (uint32_t start = 0; start < count; start += 64)") == 1  # both copies in one loop
    found.assert_restored()


def test_merged_copies_of_rows_with_a_gap(tmp_path: Path) -> None:
    copy = (
        "DataCopyParams rows = {4, 16, 8, 0};\n"
        "LocalTensor<T> part = x1.ReinterpretCast<T>();\n"
        "DataCopy(part, x1Gm[offset], rows);\n"
        "LocalTensor<T> other = x2.ReinterpretCast<T>();\n"
        "DataCopy(other, x1Gm[offset + 64], rows);\n"
    )
    found = bench(tmp_path, "merged-copies", copy_in=copy)
    text = found.text(found.removals[0])
    assert "DataCopyParams rows = {1, 16, 0, 0};" in text
    assert "DataCopy(part[row * 16 * 32 / sizeof(T)], x1Gm[offset + row * (16 + 8) * 32 / sizeof(T)], rows);" in text
    found.assert_restored()


def test_merged_copies_of_adjacent_rows(tmp_path: Path) -> None:
    slow = "for (int i = 0; i < 8; i++) {\n    DataCopy(x1[i * count], x1Gm[offset + i * count], count);\n}\n"
    found = bench(tmp_path, "merged-copies", copy_in=slow)
    assert any("        DataCopy(x1, x1Gm[offset], 8 * count);\n" in found.text(each) for each in found.improvements)


@pytest.mark.parametrize(
    "copy_in",
    [
        # rows with a gap: blocks are not known
        "for (int i = 0; i < 8; i++) {\n    DataCopy(x1[i * count], x1Gm[offset + i * this->tile], count);\n}\n",
        # pieces that are no whole blocks
        "for (uint32_t i = 0; i < count; i += 3) {\n"
        "    DataCopy(x1[i], x1Gm[offset + i], count - i < 3 ? count - i : 3);\n}\n",
        # a barrier in the loop
        "for (uint32_t i = 0; i < count; i += 64) {\n    PipeBarrier<PIPE_ALL>();\n"
        "    DataCopy(x1[i], x1Gm[offset + i], count - i < 64 ? count - i : 64);\n}\n",
        # inside of UB
        "for (uint32_t i = 0; i < count; i += 64) {\n"
        "    DataCopy(x1[i], x2[offset + i], count - i < 64 ? count - i : 64);\n}\n",
    ],
)
def test_merged_copies_is_not_offered(tmp_path: Path, copy_in: str) -> None:
    assert not bench(tmp_path, "merged-copies", copy_in=copy_in).improvements


def test_merged_copies_does_not_take_parameters_for_a_count(tmp_path: Path) -> None:
    copy = (
        "DataCopyParams once = {1, 16, 0, 0};\nDataCopy(x1, x1Gm[offset], once);\nDataCopy(x2, x2Gm[offset], once);\n"
    )
    assert len(bench(tmp_path, "merged-copies", copy_in=copy).removals) == 1  # the copy out


# ------------------------------------------------------------------ scalar-loop


def test_scalar_loop(tmp_path: Path) -> None:
    slow = (
        "PipeBarrier<PIPE_ALL>();\n"
        "for (uint32_t i = 0; i < count; ++i) {\n    y.SetValue(i, x1.GetValue(i) + x2.GetValue(i));\n}\n"
        "PipeBarrier<PIPE_ALL>();\n"
    )
    improved(tmp_path, "scalar-loop", "compute", slow, "Add(y, x1, x2, count);\n").assert_restored()


def test_scalar_loop_as_people_write_it(tmp_path: Path) -> None:
    slow = "for (int32_t k = 0; k < count; k++) {\n    y.SetValue(k, x1.GetValue(k) * x2.GetValue(k));\n}\n"
    improved(tmp_path, "scalar-loop", "compute", slow, "Mul(y, x1, x2, count);\n")


def test_scalar_loop_on_half_goes_through_float(tmp_path: Path) -> None:
    found = bench(tmp_path, "scalar-loop", compute="Mul(y, x1, x2, count);\n", types=HALF_AND_FLOAT)
    (change,) = found.removals
    assert (
        "y.SetValue(i, static_cast<T>(static_cast<float>(x1.GetValue(i)) * static_cast<float>(x2.GetValue(i))));"
        in found.text(change)
    )
    found.assert_restored()


@pytest.mark.parametrize(
    ("compute", "types"),
    [
        ("for (uint32_t i = 0; i < count; ++i) {\n    y.SetValue(i, x1.GetValue(i + 1) + x2.GetValue(i));\n}\n", None),
        ("for (uint32_t i = 1; i < count; ++i) {\n    y.SetValue(i, x1.GetValue(i) + x2.GetValue(i));\n}\n", None),
        (
            "for (uint32_t i = 0; i < count; ++i) {\n    y.SetValue(i, x1.GetValue(i) + x2.GetValue(i));\n}\n",
            "ge::DT_BF16",
        ),
    ],
)
def test_scalar_loop_is_not_offered(tmp_path: Path, compute: str, types: str | None) -> None:
    parts = {"types": types} if types else {}
    assert not bench(tmp_path, "scalar-loop", compute=compute, **parts).improvements


# ------------------------------------------------------------------ ub-copy


def test_ub_copy(tmp_path: Path) -> None:
    slow = f"{WORK}Add(work, x1, x2, count);\nAdds(y, work, static_cast<T>(0), count);\n"
    found = bench(tmp_path, "ub-copy", compute=slow)
    (change,) = found.improvements
    text = found.text(change)
    assert "        Add(y, x1, x2, count);\n        yQueue.EnQue(y);" in text
    assert "workBuffer" not in text


def test_ub_copy_through_an_operand(tmp_path: Path) -> None:
    slow = "Add(x1, x1, x2, count);\nAdds(y, x1, static_cast<T>(0), count);\n"
    improved(tmp_path, "ub-copy", "compute", slow, "Add(y, x1, x2, count);\n").assert_restored()


@pytest.mark.parametrize(
    "compute",
    [
        # read again
        f"{WORK}Add(work, x1, x2, count);\nAdds(y, work, static_cast<T>(0), count);\nMul(y, y, work, count);\n",
        # something is added
        f"{WORK}Add(work, x1, x2, count);\nAdds(y, work, static_cast<T>(1), count);\n",
        # y is needed before
        f"{WORK}Add(work, x1, x2, count);\nMul(x1, x2, y, count);\nAdds(y, work, static_cast<T>(0), count);\n",
    ],
)
def test_ub_copy_is_not_offered(tmp_path: Path, compute: str) -> None:
    assert not bench(tmp_path, "ub-copy", compute=compute).improvements


# ------------------------------------------------------------------ fused-muls-add


def test_fused_muls_add(tmp_path: Path) -> None:
    tail = "Adds(y, x2, static_cast<T>(0), count);\n"
    slow = "Muls(x1, x1, static_cast<T>(3), count);\nAdd(x2, x2, x1, count);\n" + tail
    fast = "Axpy(x2, x1, static_cast<T>(3), count);\n" + tail
    improved(tmp_path, "fused-muls-add", "compute", slow, fast).assert_restored()


def test_fused_muls_add_needs_the_scaled_tensor_no_more(tmp_path: Path) -> None:
    slow = "Muls(x1, x1, static_cast<T>(3), count);\nAdd(x2, x2, x1, count);\nAdd(y, x1, x2, count);\n"
    assert not bench(tmp_path, "fused-muls-add", compute=slow).improvements


# ------------------------------------------------------------------ hoist

LOOP = "for (uint32_t offset = 0; offset < this->length; offset += this->tile) {\n"


def test_hoist(tmp_path: Path) -> None:
    slow = f"{LOOP}    Fill();\n    Step(offset);\n}}\n"
    fast = f"Fill();\n{LOOP}    Step(offset);\n}}\n"
    improved(tmp_path, "hoist", "process", slow, fast).assert_restored()


@pytest.mark.parametrize(
    ("process", "compute"),
    [
        # its argument changes
        (f"{LOOP}    CopyOut(offset, 1);\n    Step(offset);\n}}\n", "Add(y, x1, x2, count);\n"),
        # it stores
        (f"{LOOP}    CopyOut(0, 64);\n    Step(offset);\n}}\n", "Add(y, x1, x2, count);\n"),
        # the loop writes over its result
        (
            f"{LOOP}    Fill();\n    Step(offset);\n}}\n",
            "LocalTensor<T> table = tableBuffer.Get<T>();\nAdd(table, table, x1, count);\nAdd(y, table, x2, count);\n",
        ),
    ],
)
def test_hoist_is_not_offered(tmp_path: Path, process: str, compute: str) -> None:
    assert not bench(tmp_path, "hoist", process=process, compute=compute).improvements


# ------------------------------------------------------------------ narrow-barrier


def test_narrow_barrier(tmp_path: Path) -> None:
    slow = "Add(y, x1, x2, count);\nPipeBarrier<PIPE_ALL>();\nExp(y, y, count);\n"
    fast = slow.replace("PIPE_ALL", "PIPE_V")
    improved(tmp_path / "one", "narrow-barrier", "compute", slow, fast).assert_restored()
    none = slow.replace("PipeBarrier<PIPE_ALL>();\n", "")
    improved(tmp_path / "none", "narrow-barrier", "compute", slow, none).assert_restored()


@pytest.mark.parametrize(
    "compute",
    [
        "Add(y, x1, x2, count);\nPipeBarrier<PIPE_ALL>();\nT first = y.GetValue(0);\n",
        "DataCopy(x1, x1Gm, count);\nPipeBarrier<PIPE_ALL>();\nAdd(y, x1, x2, count);\n",
        "Add(y, x1, x2, count);\nPipeBarrier<PIPE_ALL>();\nthis->length = 1;\n",
    ],
)
def test_narrow_barrier_is_not_offered(tmp_path: Path, compute: str) -> None:
    assert not bench(tmp_path, "narrow-barrier", compute=compute).improvements


# ------------------------------------------------------------------ even-split and few-cores


def test_even_split(tmp_path: Path) -> None:
    fast = "uint32_t coreLength = (total + coreCount - 1) / coreCount;\n"
    slow = "uint32_t coreLength = ((total + coreCount - 1) / coreCount + 8 - 1) / 8 * 8;\n"
    improved(tmp_path, "even-split", "split", slow, fast).assert_restored()


def test_even_split_is_not_offered_for_other_roundings(tmp_path: Path) -> None:
    split = "uint32_t pages = ((total + 4096 - 1) / 4096 + 8 - 1) / 8 * 8;\nuint32_t coreLength = pages;\n"
    assert not bench(tmp_path, "even-split", split=split).improvements


def test_few_cores(tmp_path: Path) -> None:
    slow = bench(tmp_path / "slow", "few-cores", replace=(("GetCoreNumAiv", "GetCoreNumAic"),))
    fast = bench(tmp_path / "fast", "few-cores")
    assert fast.sources.texts["op_host/blend.cpp"] in [slow.text(change) for change in slow.improvements]
    fast.assert_restored()


def test_few_cores_is_not_offered_for_a_cube_kernel(tmp_path: Path) -> None:
    cube = bench(tmp_path, "few-cores", compute="Mmad(y, x1, x2, {});\n", replace=(("GetCoreNumAiv", "GetCoreNumAic"),))
    assert not cube.improvements


def test_few_cores_spreads_what_fits_in_one_tile(tmp_path: Path) -> None:
    split = (
        "uint32_t cores = coreCount;\n"
        "if (TILE_LENGTH >= total) {\n    cores = 1;\n} else {\n"
        "    // at least a block each\n    cores = (cores < total / 8) ? cores : total / 8;\n}\n"
        "uint32_t coreLength = (total + cores - 1) / cores;\n"
    )
    found = bench(tmp_path, "few-cores", split=split)
    expected = (
        "    uint32_t cores = coreCount;\n    // at least a block each\n"
        "    cores = (cores < total / 8) ? cores : total / 8;\n    uint32_t coreLength"
    )
    assert any(expected in found.text(change) for change in found.improvements)


# ------------------------------------------------------------------ all


@pytest.mark.parametrize("operator", structural_operators(), ids=lambda operator: operator.name)
def test_equal_views_give_equal_changes(tmp_path: Path, operator: StructuralOperator) -> None:
    parts = {"compute": "Muls(y, x1, static_cast<T>(2), count);\nAdd(y, y, x2, count);\n"}
    first, second = (bench(tmp_path, operator.name, **parts) for _ in range(2))
    assert first.improvements == second.improvements
    assert first.removals == second.removals
