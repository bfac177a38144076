"""Client of the native server (``ascend-device serve``): one process, one line of JSON each way.

The server forks a child for each request, so what a candidate breaks is its own child. Should the server itself
die or hang, the request fails with the reason and the next request starts a new server.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from ascendopt.harness.devices.base import DeviceFailure

_MAX_ANSWER = 64 << 20
_KEPT_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "TMPDIR")


class Worker:
    """The server process, started when it is first needed. Safe to use from several threads, one at a time."""

    def __init__(self, program: Path) -> None:
        self._program = program
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: Any = None
        self._lock = threading.Lock()
        self._buffer = bytearray()
        self._next_id = 0

    def request(self, command: str, fields: Mapping[str, object], wall_s: float) -> dict[str, Any]:
        """Send one request and wait for its answer, at most ``wall_s`` seconds.

        Returns the answer, whose ``ok`` may be false. Raises DeviceFailure with the command as its stage
        when the server died, hung or answered nonsense.
        """
        with self._lock:
            try:
                return self._exchange(command, fields, time.monotonic() + wall_s)
            except _ServerLost as lost:
                log = self._tail()
                self._stop()
                raise DeviceFailure(command, f"the device's process {lost}.", log=log) from None
            except BaseException:
                # An interrupted exchange leaves an answer in the pipe that belongs to nobody.
                self._stop()
                raise

    @property
    def pid(self) -> int | None:
        """The server's process, None when it does not run."""
        return None if self._process is None else self._process.pid

    def close(self) -> None:
        """End the server."""
        with self._lock:
            self._stop()

    def _exchange(self, command: str, fields: Mapping[str, object], deadline: float) -> dict[str, Any]:
        process = self._started()
        self._next_id += 1
        line = json.dumps({"id": self._next_id, "cmd": command, **fields}, separators=(",", ":"))
        assert process.stdin is not None
        try:
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
        except OSError:
            raise _ServerLost(_ending(process)) from None
        while True:
            answer = self._parse(self._read_line(process, deadline))
            if answer.get("id") == self._next_id:
                return answer

    def _parse(self, line: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(line)
        except ValueError:
            raise _ServerLost("gave an answer that is not JSON") from None
        if not isinstance(answer, dict):
            raise _ServerLost("gave an answer that is no object")
        return cast("dict[str, Any]", answer)

    def _read_line(self, process: subprocess.Popen[bytes], deadline: float) -> bytes:
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._buffer:
                if len(self._buffer) > _MAX_ANSWER:
                    raise _ServerLost("gave an answer without end")
                remaining = deadline - time.monotonic()
                if remaining <= 0 or not selector.select(remaining):
                    raise _ServerLost("did not answer in time and was stopped")
                chunk = os.read(process.stdout.fileno(), 1 << 16)
                if not chunk:
                    raise _ServerLost(_ending(process))
                self._buffer += chunk
        line, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer = bytearray(rest)
        return line

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._stop()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the server
        environment = {key: os.environ[key] for key in _KEPT_ENVIRONMENT if key in os.environ}
        try:
            self._process = subprocess.Popen(
                [str(self._program), "serve"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise _ServerLost(f"does not start: {error.strerror}") from None
        return self._process

    def _tail(self) -> str:
        if self._errors is None:
            return ""
        self._errors.seek(0, os.SEEK_END)
        size = self._errors.tell()
        self._errors.seek(max(0, size - 4000))
        return self._errors.read().decode("utf-8", "replace")

    def _stop(self) -> None:
        process, self._process = self._process, None
        self._buffer.clear()
        if self._errors is not None:
            self._errors.close()
            self._errors = None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        process.wait()


class _ServerLost(Exception):
    """The server can't be used any more; the text continues the sentence 'the device's process ...'."""


def _ending(process: subprocess.Popen[bytes]) -> str:
    try:
        code = process.wait(2.0)
    except subprocess.TimeoutExpired:
        return "closed its output"
    if code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"
