"""The program of samples/, as a user runs it: data, program, verification, JSON."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from ascendopt.cli import main as cli

SAMPLE = Path(__file__).parents[4] / "samples" / "vector_scale"
PREPARE = ("--prepare", "python3 scripts/gen_data.py")
VERIFY = ("--verify", "python3 scripts/verify_result.py")

pytestmark = pytest.mark.timeout(1200)


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, Any, str]:
    code = cli.main(["run", *map(str, arguments), "--json"])
    captured = capsys.readouterr()
    return code, json.loads(captured.out) if captured.out else None, captured.err


def test_the_sample_passes_its_own_verification(capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(SAMPLE.rglob("*"))
    code, answer, _ = run(capsys, SAMPLE / "vector_scale.asc", *PREPARE, *VERIFY)
    assert code == 0
    (case,) = answer["cases"]
    assert (answer["operator"], answer["exit_code"], answer["modelled"]) == ("vector_scale", 0, True)
    assert (case["name"], case["correct"], case["block_dim"], case["violations"]) == ("vector_scale", True, 8, [])
    # Two queues of two buffers with 2048 floats each.
    assert case["ub_bytes"] == 2 * 2 * 2048 * 4
    assert case["latency_us"] > 1
    assert sorted(SAMPLE.rglob("*")) == before


def test_a_wrong_constant_fails_the_verification(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shutil.copytree(SAMPLE, tmp_path, dirs_exist_ok=True)
    source = tmp_path / "vector_scale.asc"
    source.write_text(source.read_text().replace("2.5f", "2.25f"))
    code, answer, _ = run(capsys, source, *PREPARE, *VERIFY)
    assert code == 1
    assert answer["cases"][0]["correct"] is False
    assert "values differ" in answer["cases"][0]["reason"]


def test_without_data_the_program_says_what_it_misses(capsys: pytest.CaptureFixture[str]) -> None:
    code, answer, _ = run(capsys, SAMPLE / "vector_scale.asc")
    assert (code, answer["exit_code"], answer["cases"][0]["name"]) == (1, 1, "main")
    assert "x.bin is missing" in answer["cases"][0]["reason"]


def test_a_failing_preparation_is_the_users_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, answer, error = run(capsys, SAMPLE / "vector_scale.asc", "--prepare", "python3 scripts/absent.py")
    assert (code, answer) == (2, None)
    assert "the prepare command ended with exit code 2" in error


def test_a_folder_to_run_in_keeps_what_the_program_writes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shutil.copytree(SAMPLE / "scripts", tmp_path / "scripts")
    code, _, _ = run(capsys, SAMPLE / "vector_scale.asc", "--in", tmp_path, *PREPARE, *VERIFY)
    assert code == 0
    assert (tmp_path / "y.bin").read_bytes() == (tmp_path / "golden.bin").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["golden.bin", "scripts", "x.bin", "y.bin"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--case", "x"), "has no cases to choose from"),
        (("-D", "1x"), "'1x' is no macro"),
        (("--in", "absent-folder"), "no folder for the program"),
    ],
)
def test_wrong_requests_are_refused(capsys: pytest.CaptureFixture[str], options: tuple[str, str], message: str) -> None:
    code, answer, error = run(capsys, SAMPLE / "vector_scale.asc", *options)
    assert (code, answer) == (2, None)
    assert message in error
