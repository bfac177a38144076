"""Kernel-launch programs on a device: one source with kernels and the ``main`` that launches them.

A device that can run them has ``program``, beside what ``Device`` asks of all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from ascendopt.harness.devices.base import BuildOptions, DeviceFailure, Timing, Violation


@dataclass(frozen=True)
class LaunchReport:
    """One launch. ``kernel`` is None for what happened between launches; ``timing`` None when there is no time."""

    kernel: str | None
    block_dim: int
    ub_bytes: int
    instructions: int
    timing: Timing | None
    violations: tuple[Violation, ...]


@dataclass(frozen=True)
class ProgramRun:
    """What a program did. ``exit_code`` is that of ``main``; ``failure`` says what ended it before that."""

    exit_code: int | None
    launches: tuple[LaunchReport, ...]
    output: str
    failure: DeviceFailure | None = None


class LaunchProgram(ABC):
    """A program that compiled."""

    @property
    @abstractmethod
    def sandbox(self) -> str:
        """What confines the program while it runs."""

    @abstractmethod
    def run(self, folder: Path, arguments: Sequence[str] = (), *, timing: bool = True) -> ProgramRun:
        """Run ``main`` in ``folder``, the only place where it can read and write files.

        Raises DeviceFailure when it can't be started at all.
        """


@runtime_checkable
class ProgramDevice(Protocol):
    """A device that runs programs."""

    def program(self, source: Path, options: BuildOptions) -> LaunchProgram:
        """Compile ``source``. Raises DeviceFailure(stage="compile")."""
        ...
