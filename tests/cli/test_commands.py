"""The commands as a user calls them, on the fake device: JSON, exit codes, one-sentence errors."""

from __future__ import annotations

import json
import math
import shutil
import sys
from pathlib import Path

import pytest
from cli.shell import Shell
from harness.fake_device import FakeDevice, write_toy_operator
from harness.llm.scripted_server import ScriptedServer, edit

from ascendopt.cli import main as cli
from ascendopt.harness.devices import registry
from ascendopt.harness.devices.base import DeviceFailure

WORKLOAD = """
soc = "Ascend910B2"
reference = "reference.py"

[[case]]
name = "large"
inputs = [{ name = "x", dtype = "float32", shape = [256, 512] }]
outputs = [{ name = "y", dtype = "float32", shape = [256, 512] }]

[[case]]
name = "tail"
inputs = [{ name = "x", dtype = "float32", shape = [37, 13] }]
outputs = [{ name = "y", dtype = "float32", shape = [37, 13] }]
correctness_only = true
"""
REFERENCE = "def reference(inputs, attrs):\n    return [2 * inputs[0]]\n"


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(capsys)


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> FakeDevice:
    fake = FakeDevice()
    monkeypatch.setattr(registry, "get_device", lambda *_arguments, **_options: fake)
    return fake


@pytest.fixture
def operator(tmp_path: Path) -> Path:
    folder = write_toy_operator(tmp_path / "toy")
    (folder / "ascendopt.toml").write_text(WORKLOAD)
    (folder / "reference.py").write_text(REFERENCE)
    return folder


def files(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_run_gives_the_keys_of_the_contract(shell: Shell, device: FakeDevice, operator: Path) -> None:
    assert shell("run", operator, "--json") == 0
    data = shell.json()
    assert {"operator", "device", "modelled", "soc", "cases"} <= data.keys()
    large, tail = data["cases"]
    keys = "name shapes dtypes correct max_rel_error latency_us pipes_us bound ub_bytes violations"
    assert set(keys.split()) <= large.keys()
    assert large["correct"] is True and large["max_rel_error"] == 0.0
    assert large["latency_us"] == pytest.approx(7.1385)
    assert large["bound"] == "mte2" and large["ub_bytes"] == 512 * 4 * 2
    assert large["shapes"] == {"x": [[256, 512]], "y": [[256, 512]]}
    assert tail["name"] == "tail" and tail["latency_us"] is not None


def test_run_of_one_case_and_of_one_that_does_not_exist(shell: Shell, device: FakeDevice, operator: Path) -> None:
    assert shell("run", operator, "--case", "tail", "--json") == 0
    assert [case["name"] for case in shell.json()["cases"]] == ["tail"]
    assert shell("run", operator, "--case", "tial") == 2
    assert "did you mean tail?" in shell.err


def test_run_with_a_failed_gate_is_exit_1_and_the_other_cases_are_there(
    shell: Shell, device: FakeDevice, operator: Path
) -> None:
    (operator / "reference.py").write_text(
        "def reference(inputs, attrs):\n    return [2 * inputs[0] + (inputs[0].size < 1000)]\n"
    )
    assert shell("run", operator, "--json") == 1
    assert [case["correct"] for case in shell.json()["cases"]] == [True, False]
    assert shell("run", operator) == 1
    assert "modelled" in shell.out and "NO" in shell.out and "relative error" in shell.out


def test_tune_gives_the_keys_of_the_contract_and_the_files(
    shell: Shell, device: FakeDevice, operator: Path, tmp_path: Path
) -> None:
    before = files(operator)
    assert shell("tune", operator, "--budget", 12, "--seed", 1, "--out", "out", "--json") == 0
    data = shell.json()
    keys = (
        "operator device modelled baseline_us best_us speedup speedup_interval attempts valid "
        "free_rejections seconds patch journal cases ended_by workers executor"
    )
    assert set(keys.split()) == data.keys()
    assert data["attempts"] == 12
    assert data["speedup"] > 1.5
    assert data["speedup"] == pytest.approx(data["baseline_us"] / data["best_us"], rel=1e-3)
    assert data["patch"] == (tmp_path / "out/best.patch").read_text()
    assert "<!doctype html>" in (tmp_path / "out/report.html").read_text()
    assert files(operator) == before
    # Plain lines in a pipe, one an attempt.
    assert "[12/12]" in shell.err and "\x1b" not in shell.err


def test_a_run_ends_when_its_tokens_are_spent_and_says_so(
    shell: Shell, device: FakeDevice, operator: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASCENDOPT_API_KEY", "k")
    buffers = [edit("op_kernel/toy.cpp", "BUFFER_NUM = 1;", f"BUFFER_NUM = {n};") for n in (2, 3, 4, 5, 6, 7)]
    with ScriptedServer(buffers) as server:
        asked = ("--proposer", "llm", "--base-url", server.base_url, "--model", "m", "--tokens", 5000)
        assert shell("refine", operator, *asked, "--bank", tmp_path / "bank", "--out", "out", "--json") == 0
        requests = len(server.requests)
    data = shell.json()
    # 950 tokens a turn, as the server counts them: fewer turns than were scripted, and far fewer than the budget.
    assert 0 < requests < 6 and data["attempts"] < 210
    assert data["ended_by"] == "tokens"
    assert shell("report", "out") == 0
    assert ", then its tokens were spent, " in shell.out
    assert ", then its tokens were spent, " in (tmp_path / "out/report.html").read_text()


def test_an_executor_that_can_not_be_had_is_refused(
    shell: Shell, device: FakeDevice, operator: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for command in ("tune", "refine", "optimize", "bench"):
        assert shell(command, operator, "--executor", "slurm", "--out", "out") == 2
        assert shell.err == "ascendopt: there is no executor 'slurm'; known are local, ray and ray:HOST:PORT.\n"
    # As where ascendopt[ray] is not installed.
    monkeypatch.setitem(sys.modules, "ray", None)
    assert shell("tune", operator, "--executor", "ray", "--out", "out") == 2
    assert "install ascendopt[ray]" in shell.err
    assert not (tmp_path / "out").exists()


def test_tune_again_in_the_same_folder_and_resume(shell: Shell, device: FakeDevice, operator: Path) -> None:
    assert shell("tune", operator, "--budget", 3, "--out", "out") == 0
    assert shell("tune", operator, "--budget", 3, "--out", "out") == 2
    assert "--resume" in shell.err
    builds = device.builds
    assert shell("tune", operator, "--budget", 3, "--out", "out", "--resume") == 0
    assert device.builds == builds
    assert shell("tune", operator, "--budget", 4, "--out", "out", "--resume") == 2
    assert "'budget' differs" in shell.err


def test_tune_without_out_takes_the_next_free_folder(shell: Shell, device: FakeDevice, operator: Path) -> None:
    for number in (1, 2):
        assert shell("tune", operator, "--budget", 1) == 0
        assert Path(f"ascendopt-runs/toy-{number}/journal.jsonl").is_file()
    assert shell("tune", operator, "--budget", 1, "--resume") == 0


def test_tune_of_an_operator_that_fails_as_it_is(shell: Shell, device: FakeDevice, operator: Path) -> None:
    device.failure = lambda _constants: DeviceFailure("compile", "no such API: Foo", "op_kernel/toy.cpp", 3)
    assert shell("tune", operator, "--budget", 3) == 1
    assert shell.err.splitlines()[-1] == ("ascendopt: toy fails as it is: op_kernel/toy.cpp:3: no such API: Foo")


def test_report_of_a_run(shell: Shell, device: FakeDevice, operator: Path, tmp_path: Path) -> None:
    assert shell("tune", operator, "--budget", 4, "--out", "out") == 0
    said = shell.out
    assert shell("report", "out", "--html", "page.html") == 0
    assert shell.out.splitlines()[0] == said.splitlines()[0]
    assert (tmp_path / "page.html").read_text() == (tmp_path / "out/report.html").read_text()
    assert shell("report", operator) == 2


def broken(folder: Path, what: str) -> Path:
    """A path that is wrong in one way."""
    operator = write_toy_operator(folder / what)
    toml = operator / "ascendopt.toml"
    toml.write_text(WORKLOAD.replace('reference = "reference.py"\n', ""))
    if what == "missing":
        return folder / "nowhere"
    if what == "hollow":
        (folder / "hollow2").mkdir()
        return folder / "hollow2"
    if what == "toml":
        toml.write_text("[[case]\n")
    elif what == "binary":
        (operator / "op_kernel/toy.cpp").write_bytes(b"\x7fELF\0")
    elif what == "empty":
        (operator / "op_host/toy.cpp").write_bytes(b"")
    elif what == "binary-toml":
        toml.write_bytes(b"\xff\xfe\0")
    return operator


@pytest.mark.parametrize("command", ["run", "tune"])
@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("missing", "does not exist"),
        ("hollow", "holds no operator"),
        ("toml", "ascendopt.toml:1"),
        ("binary", "binary file"),
        ("empty", "is empty"),
        ("binary-toml", "UTF-8"),
    ],
)
def test_bad_input_is_one_sentence_exit_2_and_nothing_written(
    shell: Shell, device: FakeDevice, tmp_path: Path, command: str, what: str, words: str
) -> None:
    path = broken(tmp_path, what)
    before = files(tmp_path)
    assert shell(command, path) == 2
    assert words in shell.err
    assert len(shell.err.splitlines()) == 1
    assert shell.out == ""
    assert files(tmp_path) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--soc", "Ascend910B22"), "Ascend910B2"),
        (("--device", "gpu"), "no device 'gpu'"),
        (("--bugdet", "3"), "--bugdet"),
    ],
)
def test_bad_options_name_what_is_near(
    shell: Shell, device: FakeDevice, operator: Path, arguments: tuple[str, str], words: str
) -> None:
    assert shell("run", operator, *arguments) == 2
    assert words in shell.err
    assert len(shell.err.splitlines()) == 1


def test_bad_numbers_are_refused(shell: Shell, device: FakeDevice, operator: Path) -> None:
    assert shell("tune", operator, "--budget", 0) == 2
    assert shell("tune", operator, "--seed", "x") == 2
    assert not Path("ascendopt-runs").exists()


def test_an_operator_without_tunables_is_told_how_to_mark_one(shell: Shell, device: FakeDevice, operator: Path) -> None:
    (operator / "op_host/toy.cpp").write_text("int tile = 1;\n")
    (operator / "op_kernel/toy.cpp").write_text("int kernel = 1;\n")
    assert shell("tune", operator) == 2
    assert "// ascendopt: tune" in shell.err


def test_the_command_itself(shell: Shell) -> None:
    assert shell() == 2
    assert shell("--help") == 0
    assert all(f"  {command.name} " in shell.out for command in cli.COMMANDS)
    assert shell("tnue") == 2
    assert "did you mean tune?" in shell.err
    assert shell("tune", "--help") == 0
    assert "--budget" in shell.out


def test_ctrl_c_is_130(shell: Shell, device: FakeDevice, operator: Path) -> None:
    def interrupt(_count: int) -> None:
        raise KeyboardInterrupt

    device.on_build = interrupt
    assert shell("run", operator) == 130


def test_ctrl_c_in_a_search_ends_after_the_attempt_and_can_be_resumed(
    shell: Shell, device: FakeDevice, operator: Path
) -> None:
    import os
    import signal

    device.on_build = lambda count: os.kill(os.getpid(), signal.SIGINT) if count == 4 else None
    assert shell("tune", operator, "--budget", 6, "--out", "out") == 130
    assert "--resume" in shell.err
    assert shell("tune", operator, "--budget", 6, "--out", "out", "--resume", "--json") == 0
    assert shell.json()["attempts"] == 6


def test_device_list_and_doctor(shell: Shell, device: FakeDevice) -> None:
    assert shell("device", "list") == 0
    assert shell.out.startswith("model: ")
    assert "Ascend910B2" in shell.out


RANGED = """
reference = "reference.py"

[[case]]
name = "rows"
dims = { n = "1..300" }
samples = 5
inputs = [{ name = "x", dtype = "float32", shape = ["n", 512] }]
outputs = [{ name = "y", dtype = "float32", shape = ["n", 512] }]

[[case]]
name = "twice"
inputs = [{ name = "x", dtype = "float32", shape = [64, 512] }]
outputs = [{ name = "y", dtype = "float32", shape = [64, 512] }]
weight = 2
"""


def test_run_says_the_weights_and_over_which_members_a_case_holds(
    shell: Shell, device: FakeDevice, operator: Path
) -> None:
    (operator / "ascendopt.toml").write_text(RANGED)
    assert shell("run", operator, "--json") == 0
    data = shell.json()
    *members, twice = data["cases"]
    assert [case["weight"] for case in data["cases"]] == [0.2] * 5 + [2.0]
    assert {"n": 1} in [case["sampled"]["sizes"] for case in members]
    assert members[0]["sampled"]["case"] == "rows" and members[0]["sampled"]["ranges"] == {"n": "1..300"}
    assert twice["sampled"] is None
    # By hand: the cube root of (geometric mean of the members) x (the other, squared).
    logs = sum(math.log(case["latency_us"]) for case in members) / 5 + 2 * math.log(twice["latency_us"])
    assert data["latency_us"] == pytest.approx(math.exp(logs / 3), rel=1e-4)
    assert shell("run", operator) == 0
    assert "Case rows (n = 1..300) holds on all 5 sampled cases: n=1; n=300; n=299; " in " ".join(shell.out.split())
    assert shell("run", operator, "--case", "rows", "--json") == 0
    assert len(shell.json()["cases"]) == 5


def test_a_search_reports_weights_and_members(shell: Shell, device: FakeDevice, operator: Path, tmp_path: Path) -> None:
    (operator / "ascendopt.toml").write_text(RANGED)
    assert shell("tune", operator, "--budget", "12", "--out", tmp_path / "out", "--json") == 0
    data = shell.json()
    assert [case["weight"] for case in data["cases"]] == [0.2] * 5 + [2.0]
    assert all(case["correct"] for case in data["cases"])
    logs = [case["weight"] * math.log(case["best_us"]) for case in data["cases"]]
    assert data["best_us"] == pytest.approx(math.exp(sum(logs) / 3), rel=1e-4)
    assert shell("report", tmp_path / "out") == 0
    said = " ".join(shell.out.split())
    assert "Case rows (n = 1..300) holds on all 5 sampled cases: n=1; n=300; n=299; " in said
    assert "by their weights" in said
    assert shell("report", tmp_path / "out", "--html", tmp_path / "page.html") == 0
    page = (tmp_path / "page.html").read_text()
    assert '<td class="n">0.2</td>' in page and '<td class="n">2</td>' in page


def without_reference(operator: Path) -> None:
    """Leave the values to the original: quicker, where values are not what a test is about."""
    (operator / "ascendopt.toml").write_text(WORKLOAD.replace('reference = "reference.py"\n', ""))


def test_bench_over_seeds_and_its_report(shell: Shell, device: FakeDevice, operator: Path, tmp_path: Path) -> None:
    without_reference(operator)
    arguments = ("bench", operator, "--methods", "random,grid", "--budget", 2, "--seed", 5, "--seeds", 2)
    assert shell(*arguments, "--out", "out") == 0
    said = shell.out
    metrics = json.loads((tmp_path / "out/metrics.json").read_text())
    assert metrics["seeds"] == [5, 6]
    assert all(len(one["runs"]["toy"]) == 2 for one in metrics["methods"].values())
    assert shell("report", "out", "--html", "page.html") == 0
    # The same tables, but for the line that says where the report is.
    assert said.startswith(shell.out)
    assert (tmp_path / "page.html").read_text() == (tmp_path / "out/report.html").read_text()
    assert shell("report", "out", "--explain") == 2
    assert "out/METHOD/OPERATOR/seed-0" in shell.err
    assert shell("bench", operator, operator, "--out", "twice") == 2
    assert "two of the operators are named toy" in shell.err and not Path("twice").exists()


def test_explain_says_why_candidates_were_rejected(shell: Shell, device: FakeDevice, operator: Path) -> None:
    without_reference(operator)
    device.failure = lambda c: DeviceFailure("compile", f"TILE {c['TILE']} is odd") if c["TILE"] > 512 else None
    assert shell("tune", operator, "--budget", 8, "--out", "out", "--explain") == 0
    assert "Why trials were rejected" in shell.out and "did not compile" in shell.out
    assert shell("report", "out", "--explain") == 0
    assert "Why trials were rejected" in shell.out


def test_several_operators_are_tuned_in_the_order_of_what_there_is_to_win(
    shell: Shell, device: FakeDevice, operator: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other" / "second_toy"
    shutil.copytree(operator, other)
    profile = tmp_path / "op_summary.csv"
    profile.write_text(f"OP Type,Task Duration(us)\nSecondToy,70\n{operator.name},30\n")
    arguments = ("tune", operator, other, "--budget", "4", "--out", tmp_path / "out", "--profile", profile)
    assert shell(*arguments, "--json") == 0
    data = shell.json()
    assert [one["operator"] for one in data["operators"]] == ["second_toy", operator.name]
    assert [one["attempts"] for one in data["operators"]] == [4, 4]
    gains = [one["speedup"] for one in data["operators"]]
    assert data["speedup"] == pytest.approx(math.sqrt(gains[0] * gains[1])) and data["left_out"] == {}
    assert "1. second_toy: 70.0% of the time in 1 call" in shell.err
    for name in ("second_toy", operator.name):
        assert (tmp_path / "out" / name / "report.html").is_file()
    # The same again reads what is there; two of one name have nowhere to go.
    assert shell(*arguments, "--resume") == 0
    assert "second_toy" in shell.out and "Geometric mean" in shell.out
    assert shell("tune", operator, operator, "--out", tmp_path / "twice") == 2
    assert not (tmp_path / "twice").exists()
