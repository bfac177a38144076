"""Searches with a stand-in for the engine's worker: events, cancellation, results that went stale."""

from __future__ import annotations

import asyncio
import io
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from ascendopt.server.jobs.orders import Orders
from ascendopt.server.protocol import TrialParams
from ascendopt.server.search import FinishedSearch, RunningSearch, SearchRequest, StaleResult, run_search, to_result
from ascendopt.server.worker import Channel, Job
from ascendopt.server.worker_process import WorkerFailed, WorkerProcess

RESULT: dict[str, Any] = {
    "speedup": 1.5,
    "speedup_interval": [1.4, 1.6],
    "baseline_us": 30.0,
    "best_us": 20.0,
    "attempts": 2,
    "valid": 1,
    "modelled": True,
}

# Reads its job, sends two trials, then ends or waits to be stopped, as the last argument says.
WORKER = """
import json, os, sys, time
job = json.loads(sys.stdin.readline())
def send(**event):
    print(json.dumps(event), flush=True)
send(event="phase", phase="baseline")
for n, latency in ((1, 20.0), (2, None)):
    send(event="trial", attempt=n, latency_us=latency, best_us=20.0, baseline_us=30.0,
         state="ok" if latency else "compile", note=f"seed {job['seed']}")
if sys.argv[1] == "wait":
    open(sys.argv[2], "w").write(str(os.getpid()))
    time.sleep(600)
elif sys.argv[1] == "pausable":
    for line in sys.stdin:
        if line == "pause\\n":
            send(event="paused")
        if line == "resume\\n":
            send(event="trial", attempt=3, latency_us=25.0, best_us=20.0, baseline_us=30.0, state="ok", note="after")
            send(event="done", result=json.loads(sys.argv[2]), files={})
elif sys.argv[1] == "fail":
    send(event="failed", reason="the operator fails as it is: out of bounds.")
elif sys.argv[1] == "die":
    sys.exit(3)
else:
    send(event="done", result=json.loads(sys.argv[2]), files={"op_host/a.cpp": "int tile = 2;\\n"})
"""


def request(tmp_path: Path) -> SearchRequest:
    return SearchRequest("tiling", tmp_path, "", {}, 2, 7, tmp_path / "journal")


def worker(*arguments: str) -> Any:
    return lambda job: WorkerProcess(job, (sys.executable, "-c", WORKER, *arguments))


async def run(tmp_path: Path, *arguments: str) -> tuple[dict[str, Any], dict[str, str], list[TrialParams]]:
    trials: list[TrialParams] = []
    running = RunningSearch()
    running.identity = "s"
    found = await run_search(running, request(tmp_path), trials.append, lambda _phase: None, worker(*arguments))
    return dict(found.result), dict(found.files), trials


async def test_trials_and_result(tmp_path: Path) -> None:
    result, files, trials = await run(tmp_path, "done", json.dumps(RESULT))
    assert [(trial["attempt"], trial["latency_us"], trial["state"]) for trial in trials] == [
        (1, 20.0, "ok"),
        (2, None, "compile"),
    ]
    assert trials[0]["note"] == "seed 7" and trials[0]["search"] == "s"
    assert result == RESULT
    assert files == {"op_host/a.cpp": "int tile = 2;\n"}


async def test_a_failed_job_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(WorkerFailed, match="out of bounds"):
        await run(tmp_path, "fail")


async def test_a_dead_worker_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(WorkerFailed, match="exit code 3"):
        await run(tmp_path, "die")


async def test_cancelling_ends_the_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ascendopt.server.worker_process.GRACE_SECONDS", 0.1)
    mark = tmp_path / "pid"
    task = asyncio.create_task(run(tmp_path, "wait", str(mark)))
    for _ in range(600):
        if mark.exists() and mark.read_text():
            break
        await asyncio.sleep(0.05)
    pid = int(mark.read_text())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_search_rests_and_goes_on(tmp_path: Path) -> None:
    running, phases = RunningSearch(), list[str]()
    trials: list[TrialParams] = []
    start = worker("pausable", json.dumps(RESULT))
    search = asyncio.create_task(run_search(running, request(tmp_path), trials.append, phases.append, start))
    # Asked before there is a worker: it gets the order when it has one.
    assert await asyncio.wait_for(running.pause(), 60)
    assert not search.done() and [trial["attempt"] for trial in trials] == [1, 2]
    running.resume()
    assert dict((await asyncio.wait_for(search, 60)).result) == RESULT
    assert [trial["attempt"] for trial in trials] == [1, 2, 3]
    assert phases == ["baseline", "paused", "baseline"]


async def test_a_search_that_goes_on_or_ends_before_it_rests_says_so(tmp_path: Path) -> None:
    running = RunningSearch()
    asked = asyncio.create_task(running.pause())
    await asyncio.sleep(0)
    running.resume()
    assert await asyncio.wait_for(asked, 60) is False
    mark = tmp_path / "pid"
    search = asyncio.create_task(
        run_search(running, request(tmp_path), lambda _trial: None, lambda _phase: None, worker("wait", str(mark)))
    )
    asked = asyncio.create_task(running.pause())
    await asyncio.sleep(0)
    search.cancel()
    with pytest.raises(asyncio.CancelledError):
        await search
    running.ended()
    assert await asyncio.wait_for(asked, 60) is False


def test_a_worker_follows_orders_until_it_is_to_stop() -> None:
    written = io.StringIO()
    orders = Orders(Channel(written))
    orders.follow(io.StringIO("pause\nresume\n"))
    # The end of its input is the order to stop.
    assert orders.stop.is_set() and orders.token.cancelled and not orders.token.paused
    resting = Orders(Channel(written))
    reading, writing = os.pipe()
    with os.fdopen(reading) as stream, os.fdopen(writing, "w") as server:
        threading.Thread(target=resting.follow, args=(stream,), daemon=True).start()
        server.write("pause\n")
        server.flush()
        while not resting.token.paused:
            time.sleep(0.01)
        checked = threading.Thread(target=resting.token.check, daemon=True)
        checked.start()
        while not written.getvalue():
            time.sleep(0.01)
        assert json.loads(written.getvalue()) == {"event": "paused"}
        server.write("resume\n")
        server.flush()
        checked.join(60)
        assert not checked.is_alive() and not resting.token.cancelled


def test_job_survives_the_pipe() -> None:
    texts = {"op_host/a.cpp": "\udcff\n"}
    job = Job("search", Path("/w/op"), "Ascend910B2", texts, 60, 1, Path("/w/out"), "refine", "/w/bank", texts)
    line = job.to_json()
    assert "\n" not in line
    assert Job.from_json(line) == job


def test_a_result_is_an_edit_of_the_text_it_started_from(tmp_path: Path) -> None:
    path = tmp_path / "a.cpp"
    before = b"// \xe6\xbc\xa2\nint tile = 1;\nint last;\n"
    found = FinishedSearch("s", {path: before}, {path: "// \u6f22\nint tile = 2;\nint last;\n"}, "1.5x faster")
    edit = found.edit(lambda _path: ("file:///a.cpp", 4, before), versioned=True)
    [change] = edit.document_changes
    assert change.text_document.version == 4
    [text_edit] = change.edits
    assert (text_edit.range.start.line, text_edit.range.end.line) == (1, 2)
    assert text_edit.new_text == "int tile = 2;\n"


def test_a_result_for_changed_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.cpp"
    found = FinishedSearch("s", {path: b"int a;\n"}, {path: "int b;\n"}, "")
    with pytest.raises(StaleResult, match=r"a\.cpp was changed"):
        found.edit(lambda _path: ("file:///a.cpp", 5, b"int c;\n"), versioned=True)


def test_summary_says_that_times_are_modelled() -> None:
    assert to_result("s", "tiling", RESULT, None)["summary"] == (
        "Nothing faster than 30.0 µs (modelled) was found in 2 attempts, 1 valid."
    )
    assert to_result("s", "tiling", RESULT, object())["summary"] == (
        "1.50x faster: 30.0 to 20.0 µs (modelled; 95 % interval 1.40 to 1.60), 2 attempts, 1 valid."
    )


def test_a_rewind_says_what_it_kept_and_where() -> None:
    motif = {"id": "m1", "title": "larger tiles", "symptom": "small-tile", "slowdown": 1.2}
    kept = {"attempts": 4, "motifs": [motif], "baseline_us": 30.0, "bank": "/home/u/bank", "modelled": True}
    result = to_result("s", "rewind", kept, None)
    assert result["summary"] == "1 motif of 4 removals (modelled) kept in the bank /home/u/bank."
    assert (result["motifs"], result["valid"], result["edit"], result["speedup"]) == ([motif], 1, None, None)
    nothing = to_result("s", "rewind", {**kept, "motifs": []}, None)
    assert nothing["summary"] == "Nothing to keep: 0 motifs of 4 removals (modelled)."
