"""Bounded hostile programs: each is stopped by its limit, leaves nothing behind, and says what stopped it."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from ascendopt.harness.sandbox import Limits, probe_level, run_limited

ROOMY = Limits(wall_s=120, cpu_s=60)
PYTHON = [sys.executable, "-I", "-c"]


def test_output_and_exit_code() -> None:
    done = run_limited(["/bin/sh", "-c", "echo out; echo err >&2; exit 3"], ROOMY)
    assert (done.stdout, done.stderr, done.returncode) == ("out\n", "err\n", 3)
    assert done.ending() == "ended with exit code 3"


def test_stdin_is_what_is_given_or_nothing() -> None:
    assert run_limited(["cat"], ROOMY, stdin=b"given").stdout == "given"
    assert run_limited(["cat"], ROOMY).stdout == ""


def test_environment_is_a_short_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "xyzzy")
    done = run_limited(["env"], ROOMY, env={"GIVEN": "1"})
    assert "xyzzy" not in done.stdout
    assert "GIVEN=1" in done.stdout


def test_long_output_is_cut_and_does_not_block() -> None:
    limits = Limits(wall_s=120, output_bytes=1000)
    done = run_limited(["/bin/sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' a"], limits)
    assert done.stdout == "a" * 1000
    assert done.truncated and done.returncode == 0


def test_endless_loop_ends_with_its_cpu_time() -> None:
    done = run_limited(["/bin/sh", "-c", "while :; do :; done"], Limits(wall_s=170, cpu_s=1))
    assert done.signal in (signal.SIGXCPU, signal.SIGKILL)
    assert not done.timed_out
    assert "CPU time" in done.ending()


def test_sleeper_ends_with_the_wall_clock() -> None:
    started = time.monotonic()
    done = run_limited(["sleep", "600"], Limits(wall_s=0.5))
    assert done.timed_out and done.ending() == "ran out of time"
    assert time.monotonic() - started < 100


def test_memory_is_bounded() -> None:
    done = run_limited([*PYTHON, "x = bytearray(1 << 31)"], Limits(wall_s=120, memory_mb=1024))
    assert "MemoryError" in done.stderr


def test_files_are_bounded(tmp_path: Path) -> None:
    target = tmp_path / "big"
    done = run_limited(["/bin/sh", "-c", f"head -c 8000000 /dev/zero > {target}"], Limits(wall_s=120, file_mb=1))
    assert done.returncode != 0
    assert target.stat().st_size <= 1 << 20


def test_descendants_do_not_survive(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    script = f"(sleep 3; echo still here > {alive}) & echo started"
    assert run_limited(["/bin/sh", "-c", script], ROOMY).stdout == "started\n"
    time.sleep(4)
    assert not alive.exists()


def test_no_network_where_the_level_says_so() -> None:
    if "no network" not in probe_level().name:
        pytest.skip("no network isolation on this machine")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        connect = f"import socket; socket.create_connection(('127.0.0.1', {port}), 5)"
        inside = run_limited([*PYTHON, connect], ROOMY)
        assert inside.returncode != 0
        assert run_limited([*PYTHON, connect], ROOMY, isolate=False).returncode == 0


def test_threads_can_run_commands_at_once() -> None:
    results: list[str] = []
    threads = [
        threading.Thread(target=lambda n=n: results.append(run_limited(["echo", str(n)], ROOMY).stdout))
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == ["0\n", "1\n", "2\n", "3\n"]


def test_missing_program_is_an_exit_code() -> None:
    done = run_limited(["/no/such/program"], ROOMY)
    assert done.returncode in (126, 127)
    assert "/no/such/program" in done.stderr


ORPHANS = """
    import os, signal, sys, threading, time
    sys.path.append(sys.argv[1])
    from pathlib import Path
    from ascendopt.harness.sandbox.limited import Limits, run_limited

    def die():
        while not Path(sys.argv[2]).is_file():
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=die).start()
    script = f"sleep 300 & echo $! $$ > {sys.argv[2]}.part; mv {sys.argv[2]}.part {sys.argv[2]}; sleep 300"
    run_limited(["sh", "-c", script], Limits(), isolate=False)
"""


def test_commands_end_with_the_process_that_ran_them(tmp_path: Path) -> None:
    harness = Path(__file__).parents[3] / "harness"
    command = [sys.executable, "-c", textwrap.dedent(ORPHANS), str(harness), str(tmp_path / "pids")]
    assert subprocess.run(command, timeout=60, check=False).returncode == -9
    left = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(left) == 2
    until = time.monotonic() + 10
    while any(map(alive, left)) and time.monotonic() < until:
        time.sleep(0.02)
    assert not any(map(alive, left))


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
