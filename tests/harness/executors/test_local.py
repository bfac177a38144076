"""Worker processes: what all executors do, and what becomes of workers that die, hang or lose their parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from harness.executors.conformance import ExecutorConformance, candidate, gates, setup
from harness.executors.toy_device import DEADLY, ENDLESS, no_device, open_toy_device

from ascendopt.harness.cancelling import CancelToken
from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.evaluation import State
from ascendopt.harness.executors.base import ExecutorFactory, GateSetup
from ascendopt.harness.executors.local import LocalExecutor, LocalWorkers
from ascendopt.harness.gates.evaluator import Evaluator

__all__ = ["gates", "setup"]

TESTS = Path(__file__).parents[2]


class TestLocalWorkers(ExecutorConformance):
    @pytest.fixture
    def make(self) -> ExecutorFactory:
        return LocalWorkers(2, open_toy_device)


@pytest.mark.parametrize(
    ("core", "limit_s", "said"),
    [(DEADLY, 60.0, "was killed by SIGKILL"), (ENDLESS, 9.0, "gave no answer in 9 s")],
)
def test_a_lost_worker_is_a_failed_evaluation_and_is_replaced(
    setup: GateSetup, gates: Evaluator, core: int, limit_s: float, said: str
) -> None:
    baseline = gates.original()
    batch = [candidate(setup, 64), candidate(setup, 128, core), candidate(setup, 256), candidate(setup, 1024)]
    with LocalExecutor(setup, open_toy_device, 2, CancelToken(), limit_s) as executor:
        given = list(executor.evaluate(batch, baseline))
        (after,) = executor.evaluate([candidate(setup, 2048)], baseline)
    assert [each.state for each in given] == [State.OK, State.FAILED, State.OK, State.OK]
    assert given[1].reason == f"the worker that evaluated it {said}."
    assert after.ok


def test_a_device_that_no_worker_can_open_is_no_failed_attempt(setup: GateSetup, gates: Evaluator) -> None:
    with LocalExecutor(setup, no_device, 2, CancelToken()) as executor, pytest.raises(DeviceFailure, match="compiler"):
        list(executor.evaluate([candidate(setup, 64)], gates.original()))


ORPHANS = """
    import sys
    from pathlib import Path
    from harness.executors.conformance import candidate
    from harness.executors.toy_device import ENDLESS, open_toy_device
    from harness.fake_device import toy_workload
    from ascendopt.harness.cancelling import CancelToken
    from ascendopt.harness.executors.base import GateSetup
    from ascendopt.harness.executors.local import LocalExecutor
    from ascendopt.harness.gates.evaluator import EvaluatorSettings
    from ascendopt.harness.operator_copy import Scratch, read_operator

    setup = GateSetup(read_operator(Path(sys.argv[1])), toy_workload(), EvaluatorSettings("Ascend910B2"))
    with Scratch(setup.sources) as scratch:
        baseline = setup.evaluator(open_toy_device(), scratch).original()
    executor = LocalExecutor(setup, open_toy_device, 2, CancelToken())
    batch = executor.evaluate([candidate(setup, 64), *(candidate(setup, tile, ENDLESS) for tile in (1, 2))], baseline)
    next(batch)
    print(*(worker.pid for worker in executor._workers), flush=True)
    next(batch)
"""


def test_workers_end_with_the_process_that_started_them(setup: GateSetup) -> None:
    path = os.pathsep.join(map(str, (TESTS, TESTS.parent / "harness", TESTS.parent / "analysis")))
    command = [sys.executable, "-c", textwrap.dedent(ORPHANS), str(setup.sources.root)]
    with subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        workers = [int(word) for word in process.stdout.readline().split()]
        process.send_signal(signal.SIGKILL)
    assert len(workers) == 2
    until = time.monotonic() + 10
    while any(map(alive, workers)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(alive, workers))


def alive(pid: int) -> bool:
    """It runs; one that ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
