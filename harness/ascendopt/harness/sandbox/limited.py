"""Run one command with limits on time, memory, files, processes and output, and without network."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ascendopt.harness.sandbox.levels import probe_level

# The environment that a tool gets; the caller's keys and proxies stay out.
_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT")

# The limits are set by a shell that then starts the command: a Python preexec hook can deadlock in a parent
# with threads (the server), and a limit set from outside after the start comes too late. Some shells spell
# the process limit -p; macOS knows no -v. A limit that can't be lowered is already lower. The command is a
# child of the shell, not its successor: the first process of a pid namespace ignores most signals.
_SHELL = (
    'ulimit -c 0; ulimit -t "$1" 2>/dev/null; ulimit -v "$2" 2>/dev/null; ulimit -f "$3" 2>/dev/null; '
    'ulimit -n "$4" 2>/dev/null; { ulimit -u "$5" || ulimit -p "$5"; } 2>/dev/null; '
    # Ends the process group when the pipe closes whose other end we hold: also when we are killed.
    '( exec <"/dev/fd/$6" || exit; read -r nothing; kill -KILL 0 ) >/dev/null 2>&1 & '
    'shift 6; "$@"; exit $?'
)


@dataclass(frozen=True)
class Limits:
    """Bounds for one command. Seconds, megabytes, counts; ``output_bytes`` per stream.

    ``processes`` is how many more may exist than did at the start. It binds no superuser.
    """

    wall_s: float = 60.0
    cpu_s: int = 30
    memory_mb: int = 4096
    file_mb: int = 1024
    open_files: int = 256
    processes: int = 64
    output_bytes: int = 64 * 1024


@dataclass(frozen=True)
class Completed:
    """How a command ended. ``signal`` is set when a signal ended it; ``timed_out`` when the wall clock did.

    ``truncated`` says that a stream was longer than the limit and its end was dropped.
    """

    returncode: int
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool = False
    truncated: bool = False

    @property
    def signal(self) -> signal.Signals | None:
        """The signal that ended the command. Wrappers report it as 128 + number."""
        number = -self.returncode if self.returncode < 0 else self.returncode - 128
        try:
            return signal.Signals(number)
        except ValueError:
            return None

    def ending(self) -> str:
        """How it ended, as the end of a sentence: ``ran out of time``, ``was killed (SIGSEGV)`` ..."""
        if self.timed_out:
            return "ran out of time"
        if self.signal in (signal.SIGXCPU, signal.SIGKILL):
            return "used up its CPU time or memory"
        if self.signal is not None:
            return f"was killed by {self.signal.name}"
        return f"ended with exit code {self.returncode}"


def run_limited(
    argv: Sequence[str],
    limits: Limits,
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    isolate: bool = True,
) -> Completed:
    """Run ``argv`` to its end or its limit. Raises OSError when it can't be started.

    It gets a session of its own, only a few variables of the caller's environment plus ``env``, ``stdin`` (by
    default none), and with ``isolate`` the strongest sandbox that works here. Whatever is left of its process
    group is killed at the end.
    """
    started = time.monotonic()
    with (
        _input(stdin) as source,
        lifeline() as end,
        start_limited(argv, limits, end, source, subprocess.PIPE, cwd=cwd, env=env, isolate=isolate) as process,
    ):
        try:
            streams, timed_out, truncated = _collect(process, started + limits.wall_s, limits.output_bytes)
        finally:
            # Also of what was interrupted: the context manager waits for the command's end.
            kill_group(process)
        returncode = process.wait()
    out, err = (bytes(stream).decode("utf-8", "replace") for stream in streams)
    return Completed(returncode, out, err, time.monotonic() - started, timed_out, truncated)


def start_limited(
    argv: Sequence[str],
    limits: Limits,
    end: int,
    stdin: IO[bytes] | int,
    stderr: int,
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    isolate: bool = True,
) -> subprocess.Popen[bytes]:
    """Start ``argv`` as ``run_limited`` does; the wall clock and the output are the caller's to watch.

    ``end`` is that of a ``lifeline``; what is left of the process group is the caller's to kill.
    """
    environment = {key: os.environ[key] for key in _ENVIRONMENT if key in os.environ} | dict(env or {})
    prefix = probe_level().prefix if isolate else ()
    bounds = (limits.cpu_s, limits.memory_mb << 10, limits.file_mb << 11, limits.open_files)
    command = ["/bin/sh", "-c", _SHELL, "sh", *map(str, (*bounds, _process_bound(limits), end)), *argv]
    return subprocess.Popen(
        [*prefix, *command],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
        cwd=cwd,
        env=environment,
        pass_fds=(end,),
        start_new_session=True,
    )


@contextlib.contextmanager
def lifeline() -> Generator[int]:
    """The end of a pipe that says nothing, and closes when this block ends or this process does."""
    theirs, ours = os.pipe()
    try:
        yield theirs
    finally:
        os.close(theirs)
        os.close(ours)


@contextlib.contextmanager
def _input(stdin: bytes | None):
    if stdin is None:
        with Path(os.devnull).open("rb") as source:
            yield source
        return
    with tempfile.TemporaryFile() as source:
        source.write(stdin)
        source.seek(0)
        yield source


def _process_bound(limits: Limits) -> int:
    """RLIMIT_NPROC counts the user's threads on the whole machine, so start from all that exist."""
    try:
        running = Path("/proc/loadavg").read_text().split()[3].split("/")[1]
    except (OSError, IndexError):
        return 4096
    return int(running) + limits.processes


def _collect(
    process: subprocess.Popen[bytes], deadline: float, limit: int
) -> tuple[tuple[bytearray, bytearray], bool, bool]:
    """Read both streams to their end; past ``limit`` bytes drop them, so that the writer never blocks."""
    kept = (bytearray(), bytearray())
    truncated = timed_out = False
    with selectors.DefaultSelector() as selector:
        for stream, into in zip((process.stdout, process.stderr), kept, strict=True):
            assert stream is not None
            selector.register(stream, selectors.EVENT_READ, into)
        while selector.get_map():
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                timed_out = True
                kill_group(process)
                break
            for key, _ in selector.select(min(remaining, 0.5)):
                chunk = os.read(key.fd, 65536)
                if not chunk:
                    selector.unregister(key.fileobj)
                    continue
                into: bytearray = key.data
                truncated = truncated or len(into) + len(chunk) > limit
                into += chunk[: max(0, limit - len(into))]
            # A descendant that keeps the pipe open must not keep us waiting for it.
            if process.poll() is not None and not selector.select(0.05):
                break
    if not timed_out:
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            timed_out = True
            kill_group(process)
    return kept, timed_out, truncated


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """End a command that ``start_limited`` started, with all that it started in its process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
