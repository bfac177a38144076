"""A defect of ours in one operator does not keep the others from being checked."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.checked_operator import write_operator
from cli.shell import Shell

from ascendopt.analysis.facts import OperatorFacts, analyse_operator
from ascendopt.cli import checker


@pytest.fixture
def defect(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails_in_one(operator: checker.Operator, *arguments: object) -> OperatorFacts:
        if operator.root.name == "broken":
            raise RuntimeError("a defect")
        return analyse_operator(operator, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(checker, "analyse_operator", fails_in_one)


@pytest.mark.usefixtures("defect")
def test_the_others_are_checked_and_the_exit_code_says_so(shell: Shell, tmp_path: Path) -> None:
    write_operator(tmp_path / "broken")
    write_operator(tmp_path / "halves")
    assert shell("check", tmp_path, "--select", "ALN008", "--format", "json") == 2
    document = shell.json()
    assert document["summary"]["error"] == 2
    assert {Path(finding["file"]).parts[-3] for finding in document["findings"]} == {"halves"}
    assert "RuntimeError: a defect" in shell.err
    assert f"internal error in {tmp_path / 'broken'}; the lines above say where" in shell.err


@pytest.mark.usefixtures("defect")
def test_no_baseline_is_written_of_half_a_check(shell: Shell, tmp_path: Path) -> None:
    write_operator(tmp_path / "broken")
    baseline = tmp_path / "baseline.json"
    assert shell("check", tmp_path, "--baseline", baseline, "--write-baseline") == 2
    assert not baseline.exists()
    assert "not everything was checked" in shell.err
