"""What is left when a process is killed: a kernel or host code that still runs, arrays in shared memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from ascendopt.harness.devices.model.arrays import ArrayFiles

pytestmark = [pytest.mark.device, pytest.mark.timeout(600)]

TESTS = Path(__file__).parents[2]

# Host code without end, under limits of minutes.
RUN = """
    import os, sys, threading, time
    from pathlib import Path
    from harness.tiny_operator import case, write_operator
    from ascendopt.harness.devices.base import BuildOptions
    from ascendopt.harness.devices.model.device import ModelDevice, ModelOptions, RunLimits

    device = ModelDevice("Ascend910B2", options=ModelOptions(limits=RunLimits(cpu_s=300)))
    operator = write_operator(Path(sys.argv[1]), host="volatile int n = 0; while (n == 0) {}")
    built = device.build(operator, BuildOptions("Ascend910B2"))
    server = device.worker.pid

    def tell():
        children = Path(f"/proc/{server}/task/{server}/children")
        while not children.read_text():
            time.sleep(0.01)
        print(server, children.read_text(), flush=True)

    threading.Thread(target=tell).start()
    built.tile(case(4096))
"""


def test_it_ends_with_that_process(tmp_path: Path) -> None:
    path = os.pathsep.join(map(str, (TESTS, TESTS.parent / "harness", TESTS.parent / "analysis")))
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(RUN), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        pids = [int(word) for word in process.stdout.readline().split()]
        assert len(pids) == 2 and all(map(alive, pids))
        process.send_signal(signal.SIGKILL)
    until = time.monotonic() + 10
    while any(map(alive, pids)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(alive, pids))


def alive(pid: int) -> bool:
    """It runs; one that ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_arrays_of_a_killed_run_are_removed_by_the_next_one() -> None:
    memory = Path("/dev/shm")
    if not memory.is_dir():
        pytest.skip("this system has no shared memory in a folder")
    hold = "from ascendopt.harness.private_folders import PrivateFolder; from pathlib import Path; import time; "
    hold += "folder = PrivateFolder(Path('/dev/shm')); print(folder.path, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        ArrayFiles().close()
        assert folder.is_dir()
        process.kill()
    ArrayFiles().close()
    assert not folder.exists() and not folder.with_suffix(".lock").exists()
