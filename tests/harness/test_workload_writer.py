"""Written workload files: they read back equal, and cases that differ in their dtype alone share a table."""

from __future__ import annotations

from pathlib import Path

from ascendopt.harness.workload import Case, TensorSpec, Workload
from ascendopt.harness.workload_file import WorkloadFile, read_workload_file
from ascendopt.harness.workload_writer import workload_text
from ascendopt.harness.workloads import find_workload


def case(name: str, dtype: str, index: str = "int32") -> Case:
    return Case(
        name,
        (TensorSpec("x", dtype, ((3, 4),)), TensorSpec("at", index, ((3,),))),
        (TensorSpec("y", dtype, ((3, 4),)),),
    )


def read_back(folder: Path, content: WorkloadFile, *comments: str) -> tuple[str, WorkloadFile]:
    text = workload_text(folder, content, comments)
    (folder / "ascendopt.toml").write_text(text)
    return text, read_workload_file(folder / "ascendopt.toml")


def test_cases_of_several_dtypes_share_a_table(tmp_path: Path) -> None:
    cases = (case("a/float16", "float16"), case("a/float32", "float32"), case("b/float32", "float32"))
    text, content = read_back(tmp_path, WorkloadFile(Workload(cases)))
    assert text.count("[[case]]") == 2
    assert 'dtypes = ["float16", "float32"]' in text
    assert content.workload.cases == cases


def test_what_one_table_can_not_say_stays_apart(tmp_path: Path) -> None:
    mixed = (case("a/float16", "float16", "int64"), case("a/float32", "float32"))
    # The index has the dtype of the second case: with ``dtypes`` it would follow the first.
    twins = (case("b/int32", "int32"), case("b/int64", "int64"))
    text, content = read_back(tmp_path, WorkloadFile(Workload((*mixed, *twins))))
    assert text.count("[[case]]") == 4
    assert content.workload.cases == (*mixed, *twins)


def test_comments_stay_comments(tmp_path: Path) -> None:
    text, content = read_back(tmp_path, WorkloadFile(Workload((case("a", "float16"),))), "one\n[operator]\x07", "")
    assert text.startswith("# one [operator]\n#\n")
    assert content.operator is None


def test_a_reference_of_the_catalogue_is_named(tmp_path: Path) -> None:
    known = find_workload("RmsNorm")
    assert known is not None
    text, content = read_back(tmp_path, WorkloadFile(known, None, "Ascend910B2", "RmsNorm"))
    assert 'reference = "catalogue:RmsNorm"' in text
    assert content.catalogue == "RmsNorm"
    read = content.workload
    assert (read.cases, read.reference, read.function) == (known.cases, known.reference, known.function)
