"""A Python process that has loaded what its orders need, and carries out each in a child of its own.

Starting Python and importing numpy takes longer than most orders. The children are as apart as processes are: they
have the limits of the server, and what one of them loads or leaves behind no other sees. A server that can't vouch for
that any more (a descendant of a child lives on) ends, and the next order gets a new one.
"""

from __future__ import annotations

import contextlib
import re
import select
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ascendopt.harness.sandbox.limited import Completed, Limits, kill_group, lifeline, start_limited

# What a server answers when it could start no child, which its limit on processes may forbid after a while.
NO_CHILD = "no child"
LAST = "last"
_CODE = re.compile(rf"(?P<code>-?\d{{1,3}})(?P<last> {LAST})?")


class ForkServer:
    """Runs ``script``, which reads orders as ``serve_orders`` does. Not thread-safe; pickled, it starts anew."""

    def __init__(self, script: Path, limits: Limits, env: Mapping[str, str]) -> None:
        self._script = script
        self._limits = limits
        self._env = dict(env)
        self._held = contextlib.ExitStack()
        self._process: subprocess.Popen[bytes] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_held": None, "_process": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._held = contextlib.ExitStack()

    def __del__(self) -> None:
        self.close()

    def run(self, order: str) -> Completed:
        """Have ``order``, one line, carried out. Raises OSError when no server can be started."""
        started = time.monotonic()
        fresh = self._process is None
        try:
            answer = self._ask(order)
            if answer == NO_CHILD or (answer == "" and not fresh):
                # It ran into a limit over time, or ended while there was nothing to do.
                self.close()
                answer = self._ask(order)
        except BaseException:
            # Also when it was interrupted: whatever it is at now must end.
            self.close()
            raise
        ended = _CODE.fullmatch(answer or "")
        if ended is None or ended["last"]:
            self.close()
        code = int(ended["code"]) if ended else 1
        return Completed(code, "", "", time.monotonic() - started, timed_out=answer is None)

    def close(self) -> None:
        """End the server and all that it started. The next order starts another one."""
        process, self._process = self._process, None
        if process is not None:
            kill_group(process)
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()
        self._held.close()

    def _ask(self, order: str) -> str | None:
        """The server's answer; None when the time was up, empty when it ended."""
        if self._process is None:
            # -B: no compiled files beside what belongs to the user.
            command = [sys.executable, "-I", "-B", str(self._script)]
            end = self._held.enter_context(lifeline())
            self._process = start_limited(
                command, self._limits, end, subprocess.PIPE, subprocess.DEVNULL, env=self._env
            )
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        deadline = time.monotonic() + self._limits.wall_s
        with contextlib.suppress(BrokenPipeError):
            stdin.write(f"{order}\n".encode())
            stdin.flush()
        if not select.select([stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
            return None
        # The server writes a line at once, and nobody else can.
        return stdout.readline(200).decode("ascii", "replace").strip()
