"""A baseline: what is known stays silent, also when it moves; what is new or gone is told, in every format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.checked_operator import IN_LINE, OUT_LINE, edit, write_operator
from cli.shell import Shell
from cli.test_check_output import sarif

from ascendopt.analysis.baseline import normalised

RULE = "ASC-ALN008"
CHOICE = ("--select", "ALN008", "--baseline", "known.json")


@pytest.fixture
def operator(tmp_path: Path) -> Path:
    return write_operator(tmp_path / "halves")


@pytest.fixture
def kernel(operator: Path, shell: Shell) -> Path:
    """The operator's kernel, whose two findings are known."""
    assert shell("check", operator, *CHOICE, "--write-baseline") == 0
    assert "2 findings are known from now on" in shell.err
    return operator / "op_kernel" / "halves.cpp"


def test_known_findings_are_silent(shell: Shell, operator: Path, kernel: Path) -> None:
    assert shell("check", operator, *CHOICE) == 0
    assert RULE not in shell.out and "2 known from known.json" in shell.out


def test_they_stay_known_when_lines_move_and_spaces_change(shell: Shell, operator: Path, kernel: Path) -> None:
    edit(kernel, "constexpr uint32_t TILE = 4096;\n", "constexpr uint32_t TILE = 4096;\n\n\n// moved\n")
    edit(kernel, "        DataCopy(yGm, done, 100);", "    DataCopy(yGm, done, 100);  // the tail")
    assert shell("check", operator, *CHOICE) == 0


def test_the_same_line_once_more_is_new(shell: Shell, operator: Path, kernel: Path) -> None:
    line = "        DataCopy(yGm, done, 100);\n"
    edit(kernel, line, line * 2)
    assert shell("check", operator, *CHOICE, "--format", "json") == 1
    data = shell.json()
    assert data["summary"]["error"] == 1 and data["findings"][0]["line"] == OUT_LINE + 1
    assert data["baseline"] == {"file": "known.json", "known": 2, "gone": []}


def test_what_does_not_occur_any_more_is_told(shell: Shell, operator: Path, kernel: Path) -> None:
    edit(kernel, "done, 100);", "done, 128);")
    assert shell("check", operator, *CHOICE) == 0
    told = f"baseline: {RULE} does not occur any more in halves/op_kernel/halves.cpp: DataCopy(yGm, done, 100);"
    assert told in shell.out and "1 gone" in shell.out
    shell("check", operator, *CHOICE, "--format", "json")
    (gone,) = shell.json()["baseline"]["gone"]
    assert gone == {
        "rule": RULE,
        "file": "halves/op_kernel/halves.cpp",
        "code": "DataCopy(yGm, done, 100);",
        "count": 1,
    }
    shell("check", operator, *CHOICE, "--write-baseline")
    shell("check", operator, *CHOICE)
    assert "gone" not in shell.out


def test_what_was_not_looked_at_is_not_gone(shell: Shell, operator: Path, kernel: Path, tmp_path: Path) -> None:
    write_operator(tmp_path / "other")
    for choice in (("--select", "QUE", "--baseline", "known.json"), ("--baseline", "known.json", "--ignore", "ALN008")):
        shell("check", operator, *choice)
        assert "gone" not in shell.out
    shell("check", tmp_path / "other", *CHOICE)
    assert "gone" not in shell.out and "0 known" in shell.out


def test_a_file_that_was_removed_is_gone(shell: Shell, operator: Path, kernel: Path, tmp_path: Path) -> None:
    write_operator(tmp_path / "other")
    kernel.rename(kernel.with_name("renamed.cpp"))
    assert shell("check", tmp_path, *CHOICE) == 1
    assert "2 gone" in shell.out


def test_sarif_says_new_unchanged_and_absent(shell: Shell, operator: Path, kernel: Path) -> None:
    edit(kernel, "DataCopy(in, xGm, 100);", "DataCopy(in, xGm, 104);")
    results = sarif(shell, operator, *CHOICE)["results"]
    states = [(one["baselineState"], one["locations"][0]["physicalLocation"].get("region")) for one in results]
    assert [(state, region and region["startLine"]) for state, region in states] == [
        ("new", IN_LINE),
        ("unchanged", OUT_LINE),
        ("absent", None),
    ]


def test_a_fingerprint_survives_moving(shell: Shell, operator: Path) -> None:
    kernel = operator / "op_kernel" / "halves.cpp"
    before = [one["partialFingerprints"] for one in sarif(shell, operator, "--select", "ALN008")["results"]]
    edit(kernel, "class Kernel {", "\n\nclass Kernel {")
    after = [one["partialFingerprints"] for one in sarif(shell, operator, "--select", "ALN008")["results"]]
    assert before == after and before[0] != before[1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "--write-baseline makes it"),
        ('{"version": 1,\n "findings": [}', "known.json:2: is not JSON"),
        ('{"version": 7, "findings": []}', "no baseline of version 1"),
        ("[]", "no baseline of version 1"),
        ('{"version": 1}', "finding 1 needs rule, file and code"),
        ('{"version": 1, "findings": [{"rule": "x", "file": "y", "code": "z", "count": 0}]}', "a count above 0"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_a_bad_baseline_is_one_sentence(shell: Shell, operator: Path, text: str | bytes | None, words: str) -> None:
    path = Path("known.json")
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert shell("check", operator, *CHOICE, "--fix") == 2
    assert shell.out == "" and words in shell.err and len(shell.err.splitlines()) == 1


def test_where_it_cannot_be_written_nothing_is(shell: Shell, operator: Path) -> None:
    before = (operator / "op_kernel" / "halves.cpp").read_bytes()
    wrong = ("--baseline", "nowhere/known.json", "--write-baseline", "--fix")
    assert shell("check", operator, *wrong) == 2 and "nowhere does not exist" in shell.err
    assert shell("check", operator, "--write-baseline") == 2 and "needs --baseline" in shell.err
    assert (operator / "op_kernel" / "halves.cpp").read_bytes() == before


def test_the_file_is_readable_and_stable(shell: Shell, operator: Path, kernel: Path) -> None:
    text = Path("known.json").read_text(encoding="utf-8")
    shell("check", operator, *CHOICE, "--write-baseline")
    assert Path("known.json").read_text(encoding="utf-8") == text
    assert [entry["code"] for entry in json.loads(text)["findings"]] == [
        "DataCopy(in, xGm, 100);",
        "DataCopy(yGm, done, 100);",
    ]


def test_lines_without_comments_and_spaces() -> None:
    assert normalised("\tDataCopy( x,  y ); // note") == "DataCopy( x, y );"
    assert normalised("  /* a */ f(); /* b") == "f();"
    assert normalised("  // ascendopt: ignore[ASC-MEM001]") == "// ascendopt: ignore[ASC-MEM001]"
