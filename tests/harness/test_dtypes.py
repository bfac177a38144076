"""Dtype names, packing into device memory, and arrays that go to a reference and back."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascendopt.harness.dtypes import DTYPES, numpy_dtype, pack, packed_bytes, unpack
from ascendopt.harness.gates.correctness import compare_arrays
from ascendopt.harness.gates.inputs import make_inputs
from ascendopt.harness.sandbox.reference_runner import ReferenceRunner
from ascendopt.harness.workload import Case, TensorSpec


def test_two_int4_share_a_byte_the_first_in_the_low_half() -> None:
    values = np.array([1, -1, 7, -8, 3], np.int8).astype(ml_dtypes.int4)
    assert pack(values, "int4").tolist() == [0xF1, 0x87, 0x03]
    assert packed_bytes("int4", (5,)) == 3 and packed_bytes("int4", ()) == 1


@pytest.mark.parametrize(("dtype", "size"), [("complex64", 8), ("bfloat16", 2), ("bool", 1), ("float64", 8)])
def test_other_dtypes_take_their_item_size(dtype: str, size: int) -> None:
    assert packed_bytes(dtype, (3, 5)) == 15 * size


@settings(deadline=None)
@given(st.lists(st.integers(-8, 7), max_size=20))
def test_int4_come_back_as_they_went(numbers: list[int]) -> None:
    values = np.array(numbers, np.int8).astype(ml_dtypes.int4)
    back = unpack(pack(values, "int4").astype(np.uint8), "int4", values.shape)
    assert back.dtype == values.dtype and back.astype(np.int8).tolist() == numbers


@pytest.mark.parametrize("dtype", sorted(DTYPES))
def test_a_reference_sees_and_returns_every_dtype(dtype: str, tmp_path: Path) -> None:
    (tmp_path / "reference.py").write_text("def reference(inputs, attrs):\n    return [inputs[0]]\n", encoding="utf-8")
    spec = TensorSpec("x", dtype, ((4, 3),))
    case = Case("c", (spec,), (spec,))
    inputs = make_inputs(case, 5)
    assert inputs[0].dtype == numpy_dtype(dtype)
    (back,) = ReferenceRunner(tmp_path / "reference.py")(case, inputs)
    assert back.dtype == numpy_dtype(dtype)
    assert compare_arrays("x", dtype, (4, 3), back, inputs[0]).correct


def test_int4_inputs_stay_in_range() -> None:
    (x,) = make_inputs(Case("c", (TensorSpec("x", "int4", ((500,),)),), ()), 1)
    values = x.astype(np.int8)
    assert (values.min(), values.max()) == (-8, 7)


def test_imaginary_parts_count() -> None:
    want = np.array([1 + 1j, 2 - 3j], np.complex64)
    assert compare_arrays("y", "complex64", (2,), want.copy(), want).correct
    wrong = compare_arrays("y", "complex64", (2,), np.array([1 + 1j, 2 + 3j], np.complex64), want)
    assert not wrong.correct and wrong.max_rel_error == pytest.approx(2.0)
