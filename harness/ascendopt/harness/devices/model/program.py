"""Runs a compiled kernel-launch program on the model device: its ``main``, with every launch checked and timed."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ascendopt.harness.devices.base import BuildOptions, DeviceFailure
from ascendopt.harness.devices.model.answers import AnswerReader, read_timing
from ascendopt.harness.devices.model.chip_facts import ChipFacts
from ascendopt.harness.devices.model.portable_names import relative_file
from ascendopt.harness.devices.model.program_build import Program, build_program
from ascendopt.harness.devices.programs import LaunchProgram, LaunchReport, ProgramRun

if TYPE_CHECKING:
    from ascendopt.harness.devices.model.device import ModelDevice

_OBJECT = ".ascendopt-program.so"
UNCONFINED = (
    "this system has no way to keep a program to its folder (Landlock, or a user namespace with chroot), "
    "so the model device does not run it."
)


@dataclass(frozen=True)
class ProgramLimits:
    """Bounds of one run of ``main`` with all of its launches."""

    cpu_s: float = 300.0
    wall_s: float = 1800.0
    memory_mb: int = 8192


class ModelProgram(LaunchProgram):
    """A kernel-launch source, compiled for one chip."""

    def __init__(
        self,
        device: ModelDevice,
        source: Path,
        options: BuildOptions,
        chip: ChipFacts,
    ) -> None:
        self._device = device
        self._source = source
        self._options = options
        self._chip = chip
        self._limits = device.options.program_limits
        try:
            self._program: Program = build_program(source, chip.npu_arch, options.defines, device.toolchain)
        except DeviceFailure as failure:
            if failure.file is not None:
                failure.file = relative_file(failure.file, source.parent)
            raise

    @property
    def sandbox(self) -> str:
        """See ``LaunchProgram``."""
        device = self._device
        return f"{device.capabilities.sandbox}, files by {device.file_confinement}"

    def run(self, folder: Path, arguments: Sequence[str] = (), *, timing: bool = True) -> ProgramRun:
        """See ``LaunchProgram``: the system itself keeps the program to ``folder``."""
        folder = folder.resolve()
        if not self._device.file_confinement:
            raise DeviceFailure("run", UNCONFINED)
        place = folder / _OBJECT
        shutil.copyfile(self._program.shared, place)
        try:
            answer = self._device.worker.request(
                "program", self._fields(place, folder, arguments, timing), self._limits.wall_s + 30
            )
        finally:
            place.unlink(missing_ok=True)
        return self._read(answer)

    def _fields(self, shared: Path, folder: Path, arguments: Sequence[str], timing: bool) -> dict[str, object]:
        limits = self._limits
        return {
            "program": str(shared),
            "folder": str(folder),
            "arguments": list(arguments),
            "soc": self._chip.name,
            "chip": self._chip.facts,
            **self._device.launch_fields(self._chip, self._options, timing),
            "checks": self._device.checks,
            "limits": {
                "cpu_s": limits.cpu_s,
                "wall_s": limits.wall_s,
                "as_mb": limits.memory_mb,
                "instructions": self._device.options.limits.instructions,
            },
        }

    def _read(self, answer: Mapping[str, Any]) -> ProgramRun:
        launches: list[LaunchReport] = []
        failure: DeviceFailure | None = None
        for entry in answer.get("launches", ()):
            reader = self._reader(entry)
            launches.append(_launch(entry, reader))
            failure = failure or _failed(reader, entry)
        failure = failure or _failed(self._reader({}), answer)
        code = int(answer["exit_code"]) if answer.get("ok") is True and failure is None else None
        return ProgramRun(code, tuple(launches), str(answer.get("output", "")), failure)

    def _reader(self, entry: Mapping[str, Any]) -> AnswerReader:
        name = str(entry.get("kernel") or "").split("<")[0].rpartition("::")[2].strip()
        head = self._program.kernels.get(name)
        return AnswerReader(
            self._source.parent, self._device.symbols, self._program.shared, head.parameters if head else ()
        )


def _launch(entry: Mapping[str, Any], reader: AnswerReader) -> LaunchReport:
    return LaunchReport(
        kernel=str(entry["kernel"]) if entry.get("kernel") else None,
        block_dim=int(entry.get("block_dim", 0)),
        ub_bytes=int(entry.get("ub_bytes", 0)),
        instructions=int(entry.get("instructions", 0)),
        timing=read_timing(entry) if "latency_us" in entry else None,
        violations=reader.violations(entry),
    )


def _failed(reader: AnswerReader, answer: Mapping[str, Any]) -> DeviceFailure | None:
    try:
        reader.check(answer)
    except DeviceFailure as failure:
        return failure
    return None
