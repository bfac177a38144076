"""Cases with sizes that vary: which members stand for them, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascendopt.harness.dynamic_shapes import RangeError, Sizes, parse_range, sample_members, size_of
from ascendopt.harness.workload import Case
from ascendopt.harness.workload_file import WorkloadFileError, read_workload_file

RANGED = """\
[[case]]
name = "rows"
dims = { n = "1..4096", d = "64..512 step 64" }
dtypes = ["float16", "float32"]
inputs = [{ name = "x", shape = ["n", "2 * d"] }, { name = "g", shape = ["d"] }]
outputs = [{ name = "y", shape = ["n", "d"] }]
samples = 6
weight = 3
"""


def read(folder: Path, text: str) -> tuple[Case, ...]:
    file = folder / "ascendopt.toml"
    file.write_text(text)
    return read_workload_file(file).workload.cases


def test_members_are_cases_that_agree_and_share_the_weight(tmp_path: Path) -> None:
    cases = read(tmp_path, RANGED)
    assert len(cases) == 12
    assert [case.weight for case in cases] == [0.5] * 12
    assert cases[0].name == "rows[n=1,d=64]/float16"
    for case in cases:
        assert case.sampled is not None
        sizes = dict(case.sampled.sizes)
        assert [spec.shape for spec in (*case.inputs, *case.outputs)] == [
            (sizes["n"], 2 * sizes["d"]), (sizes["d"],), (sizes["n"], sizes["d"])
        ]  # fmt: skip
    half, single = cases[:6], cases[6:]
    assert [case.sampled for case in half] == [case.sampled for case in single]
    assert read(tmp_path, RANGED) == cases
    assert [case.sampled for case in read(tmp_path, RANGED + "seed = 1\n")] != [case.sampled for case in cases]


def test_a_range_without_a_name_is_one_size_in_all_tensors(tmp_path: Path) -> None:
    text = RANGED.replace('dims = { n = "1..4096", d = "64..512 step 64" }\n', "")
    text = text.replace('"n", "2 * d"', '"1..4096", 256').replace('"d"]', "256]").replace('"n"', '"1..4096"')
    cases = read(tmp_path, text)
    assert cases[0].name == "rows[1]/float16"
    assert {case.inputs[0].shape[0] for case in cases} >= {1, 4096}
    assert all(case.inputs[0].shape[0] == case.outputs[0].shape[0] for case in cases)


def stepped(low: int, count: int, step: int) -> Sizes:
    return range(low, low + count * step + 1, step)


def listed(found: list[int]) -> Sizes:
    return tuple(sorted(found))


sizes = st.one_of(
    st.builds(stepped, st.integers(0, 99), st.integers(0, 5000), st.integers(1, 64)),
    st.lists(st.integers(0, 999), min_size=1, max_size=9, unique=True).map(listed),
)


@given(st.dictionaries(st.sampled_from("abcd"), sizes, min_size=1), st.integers(3, 20), st.integers(0, 9))
def test_members_lie_in_their_ranges_with_both_ends(dims: dict[str, Sizes], count: int, seed: int) -> None:
    members = sample_members(dims, count, seed, "x")
    assert 1 <= len(members) <= count
    assert len({tuple(member.values()) for member in members}) == len(members)
    assert all(member[name] in dims[name] for member in members for name in dims)
    assert {name: many[0] for name, many in dims.items()} in members
    assert {name: many[-1] for name, many in dims.items()} in members


def test_tails_and_other_magnitudes_are_among_the_members() -> None:
    found = [member["n"] for member in sample_members({"n": range(1, 4097)}, 12, 0, "x")]
    assert len(found) == 12
    assert 4095 in found
    assert any(1 < size < 256 and size % 16 for size in found)
    assert any((size + 1) & size == 0 or (size - 1) & (size - 2) == 0 for size in found if 2 < size < 4095)


def test_few_members_are_all_there() -> None:
    members = sample_members({"a": range(2, 4), "b": (5, 7)}, 4, 0, "x")
    assert members == [{"a": a, "b": b} for a in (2, 3) for b in (5, 7)]


def test_sizes_of_expressions() -> None:
    assert [size_of(text, {"n": 7}) for text in ("n", "2 * n + 1", "n / 2")] == [7, 15, 3]
    for text in ("m", "n - 8", "n * 0.5", "n; n", "True"):
        with pytest.raises(RangeError):
            size_of(text, {"n": 7})


@pytest.mark.parametrize("text", ["5..1", "1..10 step 4", "1..10 step 0", "1...3", "a..b", "1..99999999999"])
def test_ranges_that_have_no_sizes(text: str) -> None:
    with pytest.raises(RangeError, match="range"):
        parse_range(text)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("1..4096", "4096..1", 3, "must rise"),
        ("step 64", "step 60", 3, "in steps of 60"),
        ('d = "64..512 step 64"', "d = [0.5]", 3, "range or a list of sizes"),
        ('"2 * d"', '"2 * m"', 5, "'2 * m' is no size"),
        ('["n", "2 * d"]', '["1..9", "1..9"]', 5, "stands twice"),
        ('["n", "d"]', '["d", "d"]', 3, "no shape of case 'rows' uses the dimension 'n'"),
        ("samples = 6", "samples = 2", 7, "from 3 to 64"),
        ("samples = 6", "samples = true", 7, "from 3 to 64"),
        ("1..4096", "1..4294967296", None, "more than 2^33 elements"),
    ],
)
def test_mistakes_are_placed(tmp_path: Path, old: str, new: str, line: int | None, said: str) -> None:
    text = RANGED.replace(old, new)
    if "uses the dimension" in said:
        text = text.replace('"n", "2 * d"', '"d", "2 * d"')
    with pytest.raises(WorkloadFileError) as caught:
        read(tmp_path, text)
    assert said in str(caught.value)
    assert line is None or caught.value.line == line


def test_samples_need_ranges(tmp_path: Path) -> None:
    fixed = '[[case]]\nsamples = 4\ninputs = []\noutputs = [{ name = "y", dtype = "int8", shape = [1] }]\n'
    with pytest.raises(WorkloadFileError, match="it has none") as caught:
        read(tmp_path, fixed)
    assert caught.value.line == 2
