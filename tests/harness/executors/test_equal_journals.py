"""A journal is the same bytes whatever the number of workers, and after a kill within a batch."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from harness.executors.batches import run
from harness.fake_device import write_toy_operator

from ascendopt.harness.executors.choice import Executors
from ascendopt.harness.journal.events import read_events
from ascendopt.harness.report.model import read_report

TESTS = Path(__file__).parents[2]


@pytest.fixture
def operator(tmp_path: Path) -> Path:
    return write_toy_operator(tmp_path / "toy")


def test_the_number_of_workers_does_not_show_in_the_journal(operator: Path, tmp_path: Path) -> None:
    alone = run(operator, tmp_path / "1", Executors())
    assert run(operator, tmp_path / "3", Executors(workers=3)) == alone
    trials = [event for event in read_events(tmp_path / "1") if event["event"] in ("trial", "repeat", "noop")]
    states = {event.get("evaluation", {}).get("state", event["event"]) for event in trials}
    # The run met everything that could disturb the order.
    assert {"ok", "static", "compile", "repeat", "noop"} <= states
    # The budget is spent exactly, in the middle of a batch.
    assert sum(event["event"] == "trial" and event["evaluation"]["state"] != "static" for event in trials) == 18
    assert len(trials) % 5
    assert (read_report(tmp_path / "1").workers, read_report(tmp_path / "3").workers) == (1, 3)


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from harness.executors import batches
    from ascendopt.harness.executors.choice import Executors
    from ascendopt.harness.journal.journal import Journal

    step = Journal.step

    def step_or_die(self, kind, *rest):
        if kind == "trial" and self._count == 12:
            os.kill(os.getpid(), signal.SIGKILL)
        return step(self, kind, *rest)

    Journal.step = step_or_die
    batches.run(Path(sys.argv[1]), Path(sys.argv[2]), Executors(workers=2))
"""


@pytest.mark.parametrize("then", [1, 2])
def test_a_run_killed_within_a_batch_resumes_with_any_number_of_workers(
    operator: Path, tmp_path: Path, then: int
) -> None:
    whole = run(operator, tmp_path / "whole", Executors())
    path = os.pathsep.join(map(str, (TESTS, TESTS.parent / "harness", TESTS.parent / "analysis")))
    command = [sys.executable, "-c", textwrap.dedent(KILLED), str(operator), str(tmp_path / "killed")]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL
    before = (tmp_path / "killed" / "journal.jsonl").read_bytes()
    assert len(before.splitlines()) == 12
    assert whole.startswith(before)
    assert run(operator, tmp_path / "killed", Executors(workers=then), resume=True) == whole
