"""The model device: compiles an operator's unmodified code, runs it on this machine, models its time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ascendopt.harness.devices.base import (
    BuildOptions,
    Capabilities,
    Device,
    DeviceFailure,
    SlottedHost,
)
from ascendopt.harness.devices.model.arrays import ArrayFiles
from ascendopt.harness.devices.model.built import ModelBuilt
from ascendopt.harness.devices.model.chip_facts import ChipFacts, chip_facts
from ascendopt.harness.devices.model.compiler import ToolchainError, find_compiler
from ascendopt.harness.devices.model.ensemble import ensemble_record
from ascendopt.harness.devices.model.kernel_build import KernelBuilder
from ascendopt.harness.devices.model.program import ModelProgram, ProgramLimits
from ascendopt.harness.devices.model.runtime_build import Progress, build_runtime
from ascendopt.harness.devices.model.symbols import Symbols
from ascendopt.harness.devices.model.toolchain import Toolchain
from ascendopt.harness.devices.model.worker import Worker

if TYPE_CHECKING:
    pass

_CHECKS = frozenset({"bounds", "alignment", "races", "queues", "poison"})


@dataclass(frozen=True)
class RunLimits:
    """Bounds of one case. CPU seconds are ``cpu_s`` and one more per ``bytes_per_s`` of arguments in a
    functional run; memory in MB comes on top of the arguments."""

    cpu_s: float = 10.0
    bytes_per_s: float = 8e6
    memory_mb: int = 2048
    instructions: int = 50_000_000


@dataclass(frozen=True)
class ModelOptions:
    """How the device times and checks. ``samples`` parameter sets, drawn from ``seed``: the same for all."""

    samples: int = 32
    seed: int = 0
    races: bool = True
    strict_v_barrier: bool = False
    limits: RunLimits = RunLimits()
    program_limits: ProgramLimits = field(default_factory=ProgramLimits)
    timing: Path | None = None
    """Constants to time with, in place of the chip's."""


class ModelDevice(Device):
    """The model device for one chip. Not thread-safe; ``close`` ends its server process."""

    def __init__(
        self,
        soc: str,
        *,
        compiler: str | None = None,
        options: ModelOptions | None = None,
        cache: Path | None = None,
    ) -> None:
        self.chip = chip_facts(soc)
        self.options = options or ModelOptions()
        try:
            self.toolchain = Toolchain(find_compiler(compiler), cache)
        except ToolchainError as error:
            raise DeviceFailure("compile", str(error)) from error
        self.kernels = KernelBuilder(self.toolchain)
        self.symbols = Symbols()
        self.files = ArrayFiles()
        self._worker: Worker | None = None
        self._descriptions: dict[Path, Mapping[str, Any]] = {}
        self._unslotted: set[Path] = set()

    def prepare(self, progress: Progress | None = None) -> None:
        """Build the runtime if that was not done yet. Raises DeviceFailure."""
        if self._worker is None:
            try:
                self._worker = Worker(build_runtime(self.toolchain, progress))
            except ToolchainError as error:
                raise DeviceFailure("compile", str(error)) from error

    @property
    def worker(self) -> Worker:
        """The client of the native server."""
        self.prepare()
        assert self._worker is not None
        return self._worker

    @property
    def capabilities(self) -> Capabilities:
        """Name, chip, and the confinement of candidates and of compilers that was found to work here."""
        sandbox = f"{self._hello.get('sandbox', 'unknown')}, compilers {self.toolchain.sandbox}"
        return Capabilities("model", self.chip.name, True, sandbox, _CHECKS)

    def ensemble(self) -> Mapping[str, Any]:
        """The uncertain constants that the samples are drawn from."""
        return ensemble_record(self.options.timing or self.chip.timing, self.options.samples, self.options.seed)

    @property
    def file_confinement(self) -> str:
        """What keeps a program to one folder here; empty when nothing can."""
        return str(self._hello.get("files", ""))

    @cached_property
    def _hello(self) -> Mapping[str, Any]:
        return self.worker.request("hello", {}, 30.0)

    def build(self, operator: Path, options: BuildOptions) -> ModelBuilt:
        """Compile the host side now; kernels follow with the first case of each dtype combination.

        Raises DeviceFailure(stage="compile").
        """
        return self._built(operator, options, ())

    def build_slotted(self, slotted: SlottedHost, options: BuildOptions) -> ModelBuilt | None:
        """The same with the numbers set whenever the host code is loaded; None where it does not compile."""
        if slotted.operator in self._unslotted:
            return None
        try:
            return self._built(slotted.operator, options, slotted.values)
        except DeviceFailure:
            self._unslotted.add(slotted.operator)
            return None

    def _built(self, operator: Path, options: BuildOptions, slots: tuple[int, ...]) -> ModelBuilt:
        operator = operator.resolve()
        if operator.name == "ascendopt.toml":
            operator = operator.parent
        if not operator.is_dir():
            raise DeviceFailure(
                "compile",
                f"{operator.name} is a single source: it can be run as a program (ascendopt run), not searched; "
                "that takes a folder with op_host/ and op_kernel/.",
            )
        chip = self.chip if options.soc == self.chip.name else chip_facts(options.soc)
        return ModelBuilt(self, operator, options, chip, slots)

    def program(self, source: Path, options: BuildOptions) -> ModelProgram:
        """Compile a kernel-launch source: one file with kernels and the ``main`` that launches them.

        Raises DeviceFailure(stage="compile").
        """
        chip = self.chip if options.soc == self.chip.name else chip_facts(options.soc)
        return ModelProgram(self, source.resolve(), options, chip)

    def launch_fields(self, chip: ChipFacts, options: BuildOptions, timing: bool) -> dict[str, object]:
        """What the server is told of every launch: the chip, and how it is timed."""
        return {
            "memory": chip.memory,
            "system_workspace_bytes": chip.system_workspace_bytes,
            "timing": timing,
            "params": str(self.options.timing or chip.timing),
            "samples": self.options.samples,
            "seed": self.options.seed,
            "as_meant": options.as_meant,
        }

    @property
    def checks(self) -> dict[str, bool]:
        """The checks of a functional run that can be chosen."""
        return {"race": self.options.races, "strict_v_barrier": self.options.strict_v_barrier}

    def describe(self, host: Path) -> Mapping[str, Any]:
        """What the host object registers. Raises DeviceFailure."""
        if host not in self._descriptions:
            answer = self.worker.request("describe", {"host": str(host)}, 60.0)
            if answer.get("ok") is not True:
                raise DeviceFailure("compile", f"the host code does not load: {answer.get('reason')}")
            self._descriptions[host] = answer
        return self._descriptions[host]

    def close(self) -> None:
        """End the server process and remove the arrays' files."""
        if self._worker is not None:
            self._worker.close()
        self.files.close()
