"""A kernel-launch program as it is: compiled, run, judged by its own checks, each launch timed."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ascendopt.harness.devices.base import BuildOptions, Device, DeviceFailure
from ascendopt.harness.devices.programs import LaunchReport, ProgramDevice, ProgramRun
from ascendopt.harness.evaluation import CaseResult, Evaluation, Gate, GateResult, State
from ascendopt.harness.inspection import CaseReport
from ascendopt.harness.sandbox import Limits, run_limited
from ascendopt.harness.target import TargetError
from ascendopt.harness.workload import Case

_SCRIPT_LIMITS = Limits(wall_s=600, cpu_s=600, memory_mb=16384, file_mb=4096, processes=32)
_MAX_COPY_BYTES = 1 << 30
_MAX_COPY_FILES = 2000
_TIMEOUT = "time limit"


@dataclass(frozen=True)
class ProgramPlan:
    """What to run. ``prepare`` and ``verify`` are commands for before and after, in the program's folder.

    Without ``folder`` the program works in a copy of its source's folder, which is thrown away.
    """

    source: Path
    soc: str
    defines: Mapping[str, str] = field(default_factory=dict[str, str])
    prepare: str | None = None
    verify: str | None = None
    folder: Path | None = None


@dataclass(frozen=True)
class ProgramReport:
    """One row a launch; one row ``main`` when it made none. ``output`` is what the program wrote."""

    cases: tuple[CaseReport, ...]
    exit_code: int | None
    output: str
    notes: tuple[str, ...] = ()
    sandbox: str = ""

    @property
    def ok(self) -> bool:
        """The program ended with 0, its verification passed and the device found no error."""
        return all(case.evaluation.ok for case in self.cases)


def is_program(path: Path) -> bool:
    """Whether ``path`` is a source with a ``main`` that launches kernels."""
    if not path.is_file():
        return False
    text = path.read_text(encoding="utf-8", errors="replace")
    return "__global__" in text and "<<<" in text


def inspect_program(plan: ProgramPlan, device: Device) -> ProgramReport:
    """Compile, prepare, run and verify. Raises TargetError when ``plan`` can't be carried out."""
    if not isinstance(device, ProgramDevice):
        raise TargetError(f"the device {device.capabilities.name} runs no kernel-launch programs.")
    try:
        program = device.program(plan.source, BuildOptions(plan.soc, plan.defines))
    except DeviceFailure as failure:
        return _failed(Gate.COMPILE, State.COMPILE, failure)
    with _work_folder(plan) as folder:
        if plan.prepare:
            _script("prepare", plan.prepare, folder)
        try:
            run = program.run(folder)
        except DeviceFailure as failure:
            return _failed(Gate.CORRECTNESS, State.FAILED, failure)
        wrong = _verdict(run, plan, folder)
    return replace(_report(run, wrong, plan), sandbox=program.sandbox)


@contextmanager
def _work_folder(plan: ProgramPlan) -> Generator[Path, None, None]:
    if plan.folder is not None:
        if not plan.folder.is_dir():
            raise TargetError(f"{plan.folder} is no folder for the program to work in.")
        yield plan.folder
        return
    with tempfile.TemporaryDirectory(prefix="ascendopt-program-") as name:
        _copy_beside(plan.source, Path(name))
        yield Path(name)


def _copy_beside(source: Path, folder: Path) -> None:
    """Copy everything below the source's folder that is not hidden."""
    count = size = 0
    for path in sorted(source.parent.rglob("*")):
        relative = path.relative_to(source.parent)
        if any(part.startswith(".") for part in relative.parts) or not path.is_file():
            continue
        count, size = count + 1, size + path.stat().st_size
        if count > _MAX_COPY_FILES or size > _MAX_COPY_BYTES:
            raise TargetError(
                f"the folder of {source.name} is too large to be copied for a run; name one to run in with --in."
            )
        target = folder / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def _script(what: str, command: str, folder: Path) -> str | None:
    """Run a command of the user's; what it said when it failed. A failed ``prepare`` raises TargetError."""
    words = shlex.split(command)
    if not words:
        raise TargetError(f"the {what} command is empty.")
    if Path(words[0]).name in ("python", "python3"):
        words[0] = sys.executable
    try:
        done = run_limited(words, _SCRIPT_LIMITS, cwd=folder)
    except OSError as error:
        raise TargetError(f"the {what} command does not start: {words[0]}: {error.strerror}.") from error
    if done.returncode == 0:
        return None
    lines = (done.stdout + done.stderr).strip().splitlines()
    said = f": {lines[-1][:200]}" if lines else ""
    if what == "prepare":
        raise TargetError(f"the prepare command {done.ending()}{said}")
    return f"the verify command {done.ending()}{said}"


def _verdict(run: ProgramRun, plan: ProgramPlan, folder: Path) -> GateResult | None:
    """Why the run is wrong; None when it is right."""
    if run.failure is not None:
        return GateResult(Gate.CORRECTNESS, False, run.failure.reason, run.failure.file, run.failure.line)
    for launch in run.launches:
        for violation in launch.violations:
            if violation.severity == "error":
                return GateResult(Gate.CORRECTNESS, False, violation.message, violation.file, violation.line)
    if run.exit_code != 0:
        lines = run.output.strip().splitlines()
        said = f"; it said last: {lines[-1][:200]}" if lines else ""
        return GateResult(Gate.CORRECTNESS, False, f"the program ended with exit code {run.exit_code}{said}")
    reason = _script("verify", plan.verify, folder) if plan.verify else None
    return GateResult(Gate.CORRECTNESS, False, reason) if reason else None


def _report(run: ProgramRun, wrong: GateResult | None, plan: ProgramPlan) -> ProgramReport:
    state = _state(run, wrong)
    gates = [GateResult(Gate.COMPILE, True), wrong or GateResult(Gate.CORRECTNESS, True)]
    if wrong is None:
        gates.append(GateResult(Gate.PROFILE, True))
    names = _names(run.launches)
    rows = [
        _row(name, launch, tuple(gates), state, wrong is None) for name, launch in zip(names, run.launches, strict=True)
    ] or [_row("main", None, tuple(gates), state, wrong is None)]
    notes: list[str] = []
    if wrong is None and plan.verify is None:
        notes.append("values are as right as the program's own checks say: it ended with exit code 0")
    if not run.launches and wrong is None:
        notes.append("the program launched no kernel")
    return ProgramReport(tuple(rows), run.exit_code, run.output, tuple(notes))


def _state(run: ProgramRun, wrong: GateResult | None) -> State:
    if wrong is None:
        return State.OK
    if any(violation.severity == "error" for launch in run.launches for violation in launch.violations):
        return State.VIOLATION
    if run.failure is not None:
        return State.TIMEOUT if _TIMEOUT in run.failure.reason else State.FAILED
    return State.INCORRECT


def _row(
    name: str, launch: LaunchReport | None, gates: tuple[GateResult, ...], state: State, correct: bool
) -> CaseReport:
    result = CaseResult(name, correct)
    if launch is not None:
        timed = result.timed(launch.timing) if launch.timing else {}
        result = CaseResult(
            name,
            correct,
            ub_bytes=launch.ub_bytes,
            block_dim=launch.block_dim,
            violations=launch.violations,
            **timed,
        )
    notes = (result.note,) if result.note else ()
    evaluation = Evaluation(state, gates, (result,), latency_us=result.latency_us, notes=notes)
    return CaseReport(Case(name, (), ()), evaluation, True)


def _names(launches: tuple[LaunchReport, ...]) -> list[str]:
    """The kernel's name, with a number where it is launched more than once."""
    plain = [launch.kernel or "main" for launch in launches]
    seen: dict[str, int] = {}
    names: list[str] = []
    for name in plain:
        seen[name] = seen.get(name, 0) + 1
        names.append(f"{name} #{seen[name]}" if plain.count(name) > 1 else name)
    return names


def _failed(gate: Gate, state: State, failure: DeviceFailure) -> ProgramReport:
    gates = (GateResult(gate, False, failure.reason, failure.file, failure.line),)
    evaluation = Evaluation(state, gates, (CaseResult("main"),))
    return ProgramReport((CaseReport(Case("main", (), ()), evaluation, True),), None, failure.log)
