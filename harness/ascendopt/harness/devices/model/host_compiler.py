"""The toolchain as ``host_build`` wants it: commands with limits, and the fast link where there is one."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ascendopt.harness.devices.model.toolchain import COMPILE_LIMITS, Toolchain
from ascendopt.harness.sandbox import run_limited


class HostCompiler:
    """Runs the compiler for host code under the limits for untrusted text."""

    def __init__(self, toolchain: Toolchain) -> None:
        self._toolchain = toolchain

    @property
    def compiler(self) -> Sequence[str]:
        """Command and fixed arguments of the C++ compiler."""
        return self._toolchain.compiler.argv

    def run(self, args: Sequence[str], *, cwd: Path | None = None, timeout: float) -> subprocess.CompletedProcess[str]:
        """Run a compiler command. Raises subprocess.TimeoutExpired, OSError."""
        command = list(args)
        compiler = self._toolchain.compiler
        if command[-1:] == ["--version"]:
            # Asked for cache keys on every build; the identity says as much and costs no process.
            return subprocess.CompletedProcess(command, 0, compiler.identity, "")
        head = [*compiler.argv, "-shared"]
        if command[: len(head)] == head and compiler.linker is not None and compiler.startup is not None:
            rest = command[len(head) :]
            command = [*compiler.linker, "-shared", "--eh-frame-hdr", compiler.startup, *rest]
        done = run_limited(
            command, replace(COMPILE_LIMITS, wall_s=timeout), cwd=cwd, env={"LC_ALL": "C"}, isolate=False
        )
        if done.timed_out:
            raise subprocess.TimeoutExpired(command, timeout, done.stdout, done.stderr)
        return subprocess.CompletedProcess(command, done.returncode, done.stdout, done.stderr)
