"""Workload files: what is read, and one sentence with file and line for everything that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ascendopt.harness.workload import Case, TensorSpec, Workload
from ascendopt.harness.workload_file import (
    DTYPES,
    WorkloadFile,
    WorkloadFileError,
    find_workload_file,
    read_workload_file,
)
from ascendopt.harness.workload_writer import workload_text

GOOD = """\
soc = "Ascend910B2"
reference = "reference.py"

[operator]
name = "AddCustom"

[[case]]
name = "large"
dtypes = ["float16", "float32"]
inputs = [
  { name = "x", shape = [8, 16] },
  { name = "scale", dtype = "float32", shape = [1], distribution = "uniform(0.5, 2)" },
]
outputs = [{ name = "z", shape = [8, 16] }]
attrs = { dim = -1, eps = 1e-6, axes = [0, 1] }

[[case]]
inputs = [
  { name = "x", dtype = "bfloat16", shapes = [[16], [3, 2]] },
  { name = "bias", dtype = "float32", absent = true },
]
outputs = [{ name = "z", dtype = "bfloat16", shapes = [[16], [3, 2]] }]
weight = 2
correctness_only = true
"""


def write(folder: Path, text: str) -> Path:
    (folder / "reference.py").write_text("")
    file = folder / "ascendopt.toml"
    file.write_text(text)
    return file


def test_every_part_is_read(tmp_path: Path) -> None:
    content = read_workload_file(write(tmp_path, GOOD))
    assert (content.soc, content.operator) == ("Ascend910B2", "AddCustom")
    assert content.workload.reference == tmp_path / "reference.py"
    half, single, lists = content.workload.cases
    assert (half.name, single.name, lists.name) == ("large/float16", "large/float32", "case2")
    assert half.inputs[0] == TensorSpec("x", "float16", ((8, 16),))
    # A dtype of its own is kept when the case is repeated for each dtype.
    assert half.inputs[1] == TensorSpec("scale", "float32", ((1,),), False, "uniform(0.5, 2)")
    assert single.outputs[0].dtype == "float32"
    assert half.attrs == {"dim": -1, "eps": 1e-6, "axes": (0, 1)}
    assert lists.inputs[0] == TensorSpec("x", "bfloat16", ((16,), (3, 2)), is_list=True)
    assert lists.inputs[1].shapes == ()
    assert (lists.weight, lists.correctness_only) == (2.0, True)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("[[case]]\nname", "[[case]\nname", 7, "not valid TOML"),
        ('dtypes = ["float16"', 'dtypes = ["float17"', 9, "float17"),
        ('"scale", dtype = "float32"', '"scale", dtype = "f32"', 12, "f32"),
        ("shape = [8, 16] },\n", "shape = [8, -16] },\n", 11, "whole numbers"),
        ("uniform(0.5, 2)", "gauss", 12, "gauss"),
        ("weight = 2", "weight = 0", 23, "weight"),
        ("weight = 2", "wieght = 2", 23, "wieght"),
        ("correctness_only = true", 'correctness_only = "yes"', 24, "true or false"),
        ("attrs = { dim = -1", "attrs = { dim = {}", 15, "dim"),
        ('reference = "reference.py"', 'reference = "missing.py"', 2, "missing.py"),
        ('reference = "reference.py"', 'reference = "catalogue:Nothing"', 2, "no reference for 'Nothing'"),
        ('soc = "Ascend910B2"', "soc = 910", 1, "soc"),
        ('name = "AddCustom"', 'nmae = "AddCustom"', 5, "nmae"),
        ("absent = true", "absent = true, shape = [1]", 20, "shape and absent"),
        ('outputs = [{ name = "z", shape', "outputs = [{ shape", 14, "no name"),
        ('outputs = [{ name = "z", dtype = "bfloat16"', "outputz = [{ name = 'z'", 22, "outputz"),
        ("[[case]]\ninputs", '[[case]]\nname = "large/float16"\ninputs', None, "large/float16"),
    ],
)
def test_mistakes_are_placed(tmp_path: Path, old: str, new: str, line: int | None, said: str) -> None:
    assert old in GOOD
    file = write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(WorkloadFileError) as caught:
        read_workload_file(file)
    text = str(caught.value)
    assert said in text
    assert "\n" not in text
    if line is not None:
        assert caught.value.line == line
        assert text.startswith(f"{file}:{line}: ")


@pytest.mark.parametrize("text", ["", "x = 1\n", "case = 3\n", "case = [1]\n", "[[cases]]\n", "operator = 1\n"])
def test_files_that_hold_no_case(tmp_path: Path, text: str) -> None:
    with pytest.raises(WorkloadFileError, match=r"\[\[case\]\]|operator"):
        read_workload_file(write(tmp_path, text))


def test_binary_and_missing_files(tmp_path: Path) -> None:
    file = tmp_path / "ascendopt.toml"
    with pytest.raises(WorkloadFileError, match="can't be read"):
        read_workload_file(file)
    file.write_bytes(b"\x7fELF\xff\xfe\x00")
    with pytest.raises(WorkloadFileError, match="UTF-8"):
        read_workload_file(file)


def test_find(tmp_path: Path) -> None:
    assert find_workload_file(tmp_path) is None
    file = write(tmp_path, GOOD)
    assert find_workload_file(tmp_path) == find_workload_file(file) == file
    assert find_workload_file(tmp_path / "kernel.asc") == file


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
shapes = st.lists(st.integers(0, 99), max_size=4).map(tuple)
attr_values = st.one_of(
    st.booleans(),
    st.integers(-(2**40), 2**40),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
    st.lists(st.integers(-9, 9), max_size=3).map(tuple),
)


@st.composite
def tensors(draw: st.DrawFn) -> TensorSpec:
    kind = draw(st.sampled_from(["one", "list", "absent"]))
    dtype = draw(st.sampled_from(sorted(DTYPES)))
    distribution = draw(st.sampled_from(["normal", "zeros", "integers(-3, 9)", "constant(1.5)"]))
    if kind == "list":
        many = tuple(draw(st.lists(shapes, min_size=1, max_size=3)))
        return TensorSpec(draw(names), dtype, many, True, distribution)
    given_shapes = () if kind == "absent" else (draw(shapes),)
    return TensorSpec(draw(names), dtype, given_shapes, False, distribution)


cases = st.builds(
    Case,
    name=st.one_of(names, st.sampled_from([f"{base}/{dtype}" for base in "ab" for dtype in sorted(DTYPES)])),
    inputs=st.lists(tensors(), max_size=2).map(tuple),
    outputs=st.lists(tensors(), min_size=1, max_size=2).map(tuple),
    attrs=st.dictionaries(names, attr_values, max_size=3),
    weight=st.floats(0.125, 8),
    correctness_only=st.booleans(),
)


@given(st.lists(cases, min_size=1, max_size=3, unique_by=lambda case: case.name))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_written_files_read_back_equal(tmp_path: Path, some: list[Case]) -> None:
    file = tmp_path / "ascendopt.toml"
    content = WorkloadFile(Workload(tuple(some), None, file), "Op", "Ascend910B2")
    file.write_text(workload_text(tmp_path, content), encoding="utf-8")
    assert read_workload_file(file) == content
