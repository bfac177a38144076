"""`ascendopt workload init` on the real model device."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.model_shell import SAMPLE, run
from harness.tiny_operator import write_operator

from ascendopt.harness.opening import Devices
from ascendopt.harness.workload_file import read_workload_file


def test_the_written_cases_are_those_that_would_be_inferred(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    operator = write_operator(tmp_path)
    with Devices("model") as devices:
        inferred = devices.open(operator)[0]
    assert inferred.origin == "inferred"
    assert run("workload", "init", operator) == 0
    said = capsys.readouterr().out
    assert "dtypes: 1 combination of the definition, as the compiled host code registers it" in said
    assert "shapes: made up to spread (tiny, " in said
    written = read_workload_file(operator / "ascendopt.toml")
    assert written.workload.cases == inferred.workload.cases
    assert written.soc == inferred.soc
    text = (operator / "ascendopt.toml").read_text()
    assert "# - shapes: made up to spread (tiny, " in text
    assert run("run", operator, "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert data["workload"] == "ascendopt.toml"
    assert [case["name"] for case in data["cases"]] == [case.name for case in inferred.workload.cases]


def test_a_file_is_replaced_on_request_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    operator = write_operator(tmp_path)
    file = operator / "ascendopt.toml"
    file.write_text("not toml")
    assert run("workload", "init", operator) == 2
    assert "ascendopt.toml exists" in capsys.readouterr().err
    assert file.read_text() == "not toml"
    assert run("workload", "init", operator, "--force", "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert data["cases"] == [case.name for case in read_workload_file(file).workload.cases]


def test_what_has_no_workload_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("workload", "init", SAMPLE.parent / "vector_scale" / "vector_scale.asc") == 2
    assert "kernel-launch program" in capsys.readouterr().err
    assert run("workload", "init", tmp_path / "missing") == 2
    assert run("workload", "init", tmp_path) == 2
    assert list(tmp_path.iterdir()) == []
