"""`run --trace` and the roofline of `run --json`, against the times that the same run reports."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from cli.model_shell import SAMPLE, run, write_operator

pytestmark = [pytest.mark.device, pytest.mark.timeout(600)]
PIPES = ("vector", "mte2", "mte3")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_operator(tmp_path_factory.mktemp("timeline") / "scaled_add", [1, 480, 2048])


@pytest.fixture
def outcome(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What `run` printed and the trace that it wrote."""
    assert run("run", folder, "--json", "--trace", tmp_path / "trace.json") == 0
    return json.loads(capsys.readouterr().out), json.loads((tmp_path / "trace.json").read_text())


def spans(trace: dict[str, Any]) -> list[dict[str, Any]]:
    return [event for event in trace["traceEvents"] if event["ph"] == "X"]


def test_busy_time_of_the_tracks_is_the_pipe_time(outcome: tuple[dict[str, Any], dict[str, Any]]) -> None:
    report, trace = outcome
    for number, case in enumerate(report["cases"], 1):
        busy: dict[str, float] = defaultdict(float)
        for span in spans(trace):
            if span["pid"] == number and not span["name"].startswith("waits"):
                busy[span["cat"]] += span["dur"]
        # Each span is rounded to a millionth of a microsecond; there are a few hundred.
        assert {pipe: busy[pipe] for pipe in PIPES} == pytest.approx(
            {pipe: case["pipes_us"][pipe] for pipe in PIPES}, abs=1e-3
        )


def test_spans_of_a_track_follow_each_other_within_the_run(outcome: tuple[dict[str, Any], dict[str, Any]]) -> None:
    report, trace = outcome
    for number, case in enumerate(report["cases"], 1):
        for track in {span["tid"] for span in spans(trace)}:
            mine = [span for span in spans(trace) if (span["pid"], span["tid"]) == (number, track)]
            for one, two in pairwise(mine):
                assert one["ts"] + one["dur"] <= two["ts"] + 2e-6
            assert all(span["ts"] + span["dur"] <= case["latency_us"] for span in mine)


def test_tracks_are_named_after_pipes_and_say_modelled(outcome: tuple[dict[str, Any], dict[str, Any]]) -> None:
    _, trace = outcome
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name"}
    assert {name for (process, _), name in names.items() if process == 1} >= set(PIPES)
    for span in spans(trace):
        waits = " waits" if span["name"].startswith("waits") else ""
        assert names[span["pid"], span["tid"]] == span["cat"] + waits
    processes = [e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "process_name"]
    assert len(processes) == 3 and all("modelled" in name for name in processes)
    assert trace["otherData"]["times"] == "modelled, not measured"


def test_spans_carry_what_was_called_and_where(outcome: tuple[dict[str, Any], dict[str, Any]]) -> None:
    _, trace = outcome
    source = (SAMPLE / "op_kernel" / "scaled_add.cpp").read_text().splitlines()
    called = {"load": "DataCopyPad(", "store": "DataCopyPad(", "Muls": "Muls(", "Add": "Add(", "Cast": "Cast("}
    seen: set[str] = set()
    for span in spans(trace):
        file, _, line = span["args"]["line"].rpartition(":")
        assert file == "op_kernel/scaled_add.cpp"
        if not span["name"].startswith("waits"):
            assert called[span["name"]] in source[int(line) - 1]
            seen.add(span["name"])
    assert seen >= {"load", "store", "Muls", "Add"}


def test_loads_move_the_bytes_of_the_inputs(outcome: tuple[dict[str, Any], dict[str, Any]]) -> None:
    report, trace = outcome
    # 480 rows divide by 48 cores: one core loads a 48th of both inputs and stores a 48th of the output.
    assert report["cases"][1]["block_dim"] == 48
    moved: dict[str, int] = defaultdict(int)
    for span in spans(trace):
        if span["pid"] == 2 and span["name"] in ("load", "store"):
            moved[span["name"]] += span["args"]["bytes"]
    assert moved == {"load": 2 * 480 * 4096 * 2 // 48, "store": 480 * 4096 * 2 // 48}


def test_roofline_is_that_of_the_work(outcome: tuple[dict[str, Any], dict[str, Any]]) -> None:
    report, _ = outcome
    for case, rows in zip(report["cases"], (1, 480, 2048), strict=True):
        line = case["roofline"]
        assert line["read_bytes"] == 2 * rows * 4096 * 2
        assert line["write_bytes"] == rows * 4096 * 2
        # Everything is read once; what is written stays in the L2 cache of 192 MB.
        assert line["hbm_bytes"] == line["read_bytes"]
        assert line["resources_us"]["hbm"] == pytest.approx(line["hbm_bytes"] / 1.61e6, rel=1e-3)
        assert line["bound_us"] == max(line["resources_us"].values())
        assert line["resources_us"][line["bound"]] == line["bound_us"]
        assert 0 < line["bound_us"] < case["latency_us"]


def test_the_verdict_is_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("run", folder, "--case", "rows2048") == 0
    out = capsys.readouterr().out.replace("\n", " ")
    assert "rows2048: bound by" in out and "reads 33.6 MB, writes 16.8 MB" in out


def test_a_trace_that_cannot_be_written_is_exit_2(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("run", folder, "--case", "rows1", "--trace", tmp_path / "no" / "trace.json") == 2
    assert "trace.json cannot be written" in capsys.readouterr().err
