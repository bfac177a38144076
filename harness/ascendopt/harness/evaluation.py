"""What the gates said about one candidate: verdicts, times with their spread, cost.

Everything here turns into plain JSON and back without loss, because a resumed episode rebuilds its state
from the journal. Times are rounded to ``TIME_DIGITS`` decimals of a microsecond when they enter, for the
same reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ascendopt.harness.devices.base import Roofline, Timing, Violation
from ascendopt.harness.workload import Case

TIME_DIGITS = 5


class Gate(str, Enum):
    """The four gates, in order."""

    STATIC = "static"
    COMPILE = "compile"
    CORRECTNESS = "correctness"
    PROFILE = "profile"


class State(str, Enum):
    """How a try ended. ``OK`` means: compiled, correct and timed; ``SLOWER``: compiled and timed, and of no interest
    then, so that its values were not computed."""

    OK = "ok"
    SLOWER = "slower"
    STATIC = "static"
    COMPILE = "compile"
    INCORRECT = "incorrect"
    VIOLATION = "violation"
    TIMEOUT = "timeout"
    FAILED = "failed"


@dataclass(frozen=True)
class GateResult:
    """The verdict of one gate. ``reason`` is one sentence; ``file`` and ``line`` point into the operator."""

    gate: Gate
    passed: bool
    reason: str = ""
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class CaseResult:
    """One case of a workload. Times are microseconds; None where the case was not timed or not checked.

    ``samples_us`` has one time per parameter set of the model, or one per repetition on a measuring device;
    there ``base_samples_us`` holds the original's times of the same pairs, in the same order.
    """

    name: str
    correct: bool | None = None
    mean_rel_error: float | None = None
    max_rel_error: float | None = None
    latency_us: float | None = None
    samples_us: tuple[float, ...] = ()
    base_samples_us: tuple[float, ...] = ()
    launch_us: float = 0.0
    launch_samples_us: tuple[float, ...] = ()
    pipes_us: Mapping[str, float] = field(default_factory=dict[str, float])
    bound: str = ""
    ub_bytes: int | None = None
    block_dim: int | None = None
    guessed_share: float = 0.0
    roofline: Roofline | None = None  # not in the JSON: journals keep what decisions rest on
    note: str = ""
    violations: tuple[Violation, ...] = ()

    def timed(self, timing: Timing) -> dict[str, Any]:
        """The fields that ``timing`` sets, for ``dataclasses.replace``."""
        return {
            "latency_us": round(timing.latency_us, TIME_DIGITS),
            "samples_us": tuple(round(sample, TIME_DIGITS) for sample in timing.samples_us),
            "launch_us": round(timing.launch_us, TIME_DIGITS),
            "launch_samples_us": tuple(round(sample, TIME_DIGITS) for sample in timing.launch_samples_us),
            "pipes_us": {pipe: round(time, TIME_DIGITS) for pipe, time in sorted(timing.pipes_us.items())},
            "bound": timing.bound,
            "guessed_share": round(timing.guessed_share, TIME_DIGITS),
            "roofline": timing.roofline,
            "note": timing.note,
        }

    def to_json(self) -> dict[str, Any]:
        """Plain data; ``from_json`` is the inverse."""
        return {
            "name": self.name,
            "correct": self.correct,
            "mean_rel_error": self.mean_rel_error,
            "max_rel_error": self.max_rel_error,
            "latency_us": self.latency_us,
            "samples_us": list(self.samples_us),
            "base_samples_us": list(self.base_samples_us),
            "launch_us": self.launch_us,
            "launch_samples_us": list(self.launch_samples_us),
            "pipes_us": dict(self.pipes_us),
            "bound": self.bound,
            "ub_bytes": self.ub_bytes,
            "block_dim": self.block_dim,
            "guessed_share": self.guessed_share,
            "note": self.note,
            "violations": [violation_json(violation) for violation in self.violations],
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> CaseResult:
        """Rebuild what ``to_json`` wrote."""
        values = dict(data)
        values["samples_us"] = tuple(values["samples_us"])
        values["base_samples_us"] = tuple(values["base_samples_us"])
        values["launch_samples_us"] = tuple(values.get("launch_samples_us", ()))
        values["violations"] = tuple(Violation(**violation) for violation in values["violations"])
        return CaseResult(**values)


@dataclass(frozen=True)
class Evaluation:
    """Everything the gates said about one program.

    ``speedup`` is the weighted geometric mean over the timed cases of original time / this time, with
    ``interval`` its 2.5 and 97.5 percentiles; ``faster`` says that it clears the margin or the noise floor.
    ``as_meant`` says that the gates only pass when calls that the device doubts act as the operator evidently
    means them, against their documentation (``BuildOptions``). ``noise_floor`` is set on measuring devices where the
    original was measured against itself: its own evaluation and that of a champion. ``seconds`` is the cost on the
    clock of this machine and is not part of the JSON: journals of equal seeds must be equal.
    """

    state: State
    gates: tuple[GateResult, ...]
    cases: tuple[CaseResult, ...] = ()
    latency_us: float | None = None
    speedup: float | None = None
    interval: tuple[float, float] | None = None
    faster: bool = False
    noise_floor: float | None = None
    as_meant: bool = False
    notes: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    @property
    def ok(self) -> bool:
        """All gates passed."""
        return self.state is State.OK

    @property
    def timed(self) -> bool:
        """It was compared with the original: a search learns from it even where it is no candidate for a patch."""
        return self.state in (State.OK, State.SLOWER) and self.speedup is not None

    @property
    def failure(self) -> GateResult | None:
        """The gate that failed, if one did."""
        return next((gate for gate in self.gates if not gate.passed), None)

    @property
    def reason(self) -> str:
        """Why it failed, with the place in the source; empty when all gates passed."""
        gate = self.failure
        if gate is None:
            return ""
        place = f"{gate.file}:{gate.line}: " if gate.file and gate.line else ""
        return f"{place}{gate.reason}"

    def to_json(self) -> dict[str, Any]:
        """Plain data without ``seconds``; ``from_json`` is the inverse."""
        return {
            "state": self.state.value,
            "gates": [
                {"gate": g.gate.value, "passed": g.passed, "reason": g.reason, "file": g.file, "line": g.line}
                for g in self.gates
            ],
            "cases": [case.to_json() for case in self.cases],
            "latency_us": self.latency_us,
            "speedup": self.speedup,
            "interval": list(self.interval) if self.interval else None,
            "faster": self.faster,
            "noise_floor": self.noise_floor,
            "as_meant": self.as_meant,
            "notes": list(self.notes),
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Evaluation:
        """Rebuild what ``to_json`` wrote."""
        values = dict(data)
        values["state"] = State(values["state"])
        values["gates"] = tuple(
            GateResult(Gate(g["gate"]), g["passed"], g["reason"], g["file"], g["line"]) for g in values["gates"]
        )
        values["cases"] = tuple(CaseResult.from_json(case) for case in values["cases"])
        values["interval"] = tuple(values["interval"]) if values["interval"] else None
        values["notes"] = tuple(values["notes"])
        return Evaluation(**values)


def violation_json(violation: Violation) -> dict[str, Any]:
    """A violation as plain data."""
    return {
        "code": violation.code,
        "severity": violation.severity,
        "message": violation.message,
        "file": violation.file,
        "line": violation.line,
        "api": violation.api,
        "core": violation.core,
        "count": violation.count,
    }


def elements(case: Case) -> int:
    """Number of elements over all tensors of a case."""
    total = 0
    for spec in (*case.inputs, *case.outputs):
        for shape in spec.shapes:
            total += size(shape)
    return total


def size(shape: Sequence[int]) -> int:
    """Number of elements of a shape; 1 for a scalar."""
    product = 1
    for dim in shape:
        product *= dim
    return product
