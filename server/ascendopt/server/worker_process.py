"""The server's side of background work: starts a worker, reads its events, and ends it with all its children."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from types import TracebackType
from typing import Any

from ascendopt.server.worker import PAUSE, RESUME, Job

WORKER = ("-I", "-m", "ascendopt.server.worker")
# A search that was asked to stop ends at its next trial; after this many seconds it is killed.
GRACE_SECONDS = 5.0
# A whole operator goes over this pipe in one line when a search ends.
LINE_LIMIT = 64 << 20


class WorkerFailed(Exception):
    """The job failed; the message is one sentence for the user."""


class WorkerProcess:
    """One job in a process group of its own. Use as an asynchronous context manager; leaving it ends the process."""

    def __init__(self, job: Job, command: Sequence[str] = (sys.executable, *WORKER)) -> None:
        self._job = job
        self._command = command
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> WorkerProcess:
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=None,
            limit=LINE_LIMIT,
            start_new_session=True,
        )
        stdin = self._process.stdin
        assert stdin is not None
        stdin.write(self._job.to_json().encode() + b"\n")
        with contextlib.suppress(ConnectionError):
            await stdin.drain()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        process = self._process
        assert process is not None
        if process.returncode is None:
            self.stop()
            # A second cancellation must not leave the process behind: kill first, then wait.
            try:
                await asyncio.wait_for(process.wait(), GRACE_SECONDS)
            except (asyncio.TimeoutError, asyncio.CancelledError):
                self._kill()
                await process.wait()
        # The leader may be gone while a compiler that it started still runs.
        self._kill()

    def stop(self) -> None:
        """Ask the job to stop; it ends by itself, with the event `cancelled`."""
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(ConnectionError, RuntimeError):
                self._process.stdin.close()

    def pause(self) -> None:
        """Ask a search to rest before its next attempt; it says so with the event `paused`."""
        self._order(PAUSE)

    def resume(self) -> None:
        """Let it go on."""
        self._order(RESUME)

    def _order(self, line: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(ConnectionError, RuntimeError):
                self._process.stdin.write(line.encode())

    async def events(self) -> AsyncIterator[dict[str, Any]]:
        """Events up to the last one (`done`, `cancelled`). Raises WorkerFailed."""
        assert self._process is not None and self._process.stdout is not None
        async for line in self._process.stdout:
            event: dict[str, Any] = json.loads(line)
            if event["event"] == "failed":
                raise WorkerFailed(event["reason"])
            yield event
            if event["event"] in ("done", "cancelled"):
                return
        code = await self._process.wait()
        raise WorkerFailed(f"The worker process ended unexpectedly (exit code {code}); see the server's log.")

    def _kill(self) -> None:
        assert self._process is not None
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
