"""The server's side of the light bulb: keeps one adviser process, started at the first question."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ascendopt.server.worker_process import LINE_LIMIT, WorkerFailed

ADVISER = ("-I", "-m", "ascendopt.server.adviser")
ANSWER_SECONDS = 60.0
# What it holds (the bank, the facts) is worth some hundred MB: nobody who asked nothing for so long needs it.
IDLE_SECONDS = 900.0


class AdviserProcess:
    """Questions to one process, answered in order. Ends with the server, or after a long time without a question."""

    def __init__(self, command: Sequence[str] = (sys.executable, *ADVISER)) -> None:
        self._command = command
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._idle: asyncio.TimerHandle | None = None
        self._last = 0

    @property
    def running(self) -> bool:
        """Whether there is a process to ask."""
        return self._process is not None

    async def ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to `question`. Raises WorkerFailed when the process ends or takes too long."""
        process = await self._started()
        self._last += 1
        number = self._last
        loop = asyncio.get_running_loop()
        self._waiting[number] = loop.create_future()
        if self._idle is not None:
            self._idle.cancel()
        self._idle = loop.call_later(IDLE_SECONDS, self.close)
        assert process.stdin is not None
        try:
            with contextlib.suppress(ConnectionError):
                process.stdin.write(json.dumps({"id": number, **question}).encode() + b"\n")
                await process.stdin.drain()
            return await asyncio.wait_for(self._waiting[number], ANSWER_SECONDS)
        except asyncio.TimeoutError as error:
            raise WorkerFailed(f"No rewrites were found within {ANSWER_SECONDS:.0f} s.") from error
        finally:
            self._waiting.pop(number, None)

    def close(self) -> None:
        """End the process; the next question starts another."""
        process, self._process = self._process, None
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        if process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)

    async def _started(self) -> asyncio.subprocess.Process:
        async with self._starting:
            if self._process is None:
                self._process = await asyncio.create_subprocess_exec(
                    *self._command,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=None,
                    limit=LINE_LIMIT,
                    start_new_session=True,
                )
                self._reader = asyncio.get_running_loop().create_task(self._read(self._process))
            return self._process

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        async for line in process.stdout:
            answer: dict[str, Any] = json.loads(line)
            future = self._waiting.get(answer["id"])
            if future is not None and not future.done():
                future.set_result(answer)
        code = await process.wait()
        if self._process is process:
            self._process = None
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(WorkerFailed(f"The adviser process ended unexpectedly (exit code {code})."))
