"""Sends one program through the gates: static, compile, correctness, profile."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ascendopt.analysis.active_case import ActiveCase
from ascendopt.harness.candidate import Candidate, HostTemplate
from ascendopt.harness.devices.base import (
    BuildOptions,
    Built,
    Device,
    DeviceFailure,
    Profile,
    RunResult,
    SlottedHost,
    Timing,
    Violation,
    active_case,
)
from ascendopt.harness.evaluation import TIME_DIGITS, CaseResult, Evaluation, Gate, GateResult, State, elements
from ascendopt.harness.gates import measured
from ascendopt.harness.gates import profile as profiling
from ascendopt.harness.gates.case_values import CaseValues, Compute
from ascendopt.harness.gates.inputs import EXTREME, RANDOM
from ascendopt.harness.operator_copy import Scratch
from ascendopt.harness.workload import Case, Workload

Array = NDArray[Any]
# Raises ReferenceFailure.
Reference = Compute


class StaticGate(Protocol):
    """Says the first reason why a candidate is illegal, or None: of its folder, of one that candidates share, and of
    the latter with the values that its host code gives for a case. ``gates.static.StaticRules``."""

    def __call__(self, folder: Path, /) -> GateResult | None: ...

    def shared(self, folder: Path, /) -> GateResult | None: ...

    def linked(self, folder: Path, case: ActiveCase, original: Callable[[], ActiveCase], /) -> GateResult | None: ...


# How devices and the sandbox say that a limit on time ended a run.
_TIMEOUT_PHRASES = ("ran out of time", "time limit", "timed out", "CPU time", "instruction limit")
DIFFERENTIAL = "compared with the original operator: there is no numpy reference"


class ReferenceFailure(RuntimeError):
    """The numpy reference itself failed; the message is one sentence."""


@dataclass(frozen=True)
class EvaluatorSettings:
    """What the gates depend on besides the program.

    Cases with more than ``functional_limit`` elements are timed but not computed during a search; their
    values are checked on the original and again on a champion. ``extreme_limit`` bounds the cases that also
    get boundary values. ``pairs`` is the number of pairs in a round on a measuring device.
    """

    soc: str
    seed: int = 0
    margin: float = profiling.MARGIN
    functional_limit: int = 1 << 20
    extreme_limit: int = 1 << 20
    pairs: int = 9


@dataclass
class _Progress:
    """What is known of a program while it passes through the gates.

    ``allowed`` are the warnings and doubts that it may raise, because the original does; None: any. ``same`` are log
    ratios of the original measured against itself, by case, on a measuring device. ``witnessed`` are the times of the
    runs whose values were checked, by case, on a modelled device.
    """

    cases: dict[str, CaseResult]
    allowed: frozenset[str] | None = None
    gates: list[GateResult] = field(default_factory=list[GateResult])
    same: dict[str, NDArray[np.float64]] = field(default_factory=dict[str, NDArray[np.float64]])
    witnessed: dict[str, float] = field(default_factory=dict[str, float])

    def update(self, name: str, **changes: Any) -> None:
        self.cases[name] = replace(self.cases[name], **changes)


class _Failed(Exception):
    def __init__(self, state: State, gate: GateResult) -> None:
        super().__init__(gate.reason)
        self.state = state
        self.gate = gate


class Evaluator:
    """The gates for one operator on one device.

    ``original`` must be evaluated first: it yields the expected outputs where there is no reference, the
    times that speed-ups refer to, and the boundary inputs that are fair (those that the original passes).
    """

    def __init__(
        self,
        device: Device,
        scratch: Scratch,
        workload: Workload,
        settings: EvaluatorSettings,
        reference: Reference | None = None,
        static_gate: StaticGate | None = None,
    ) -> None:
        self._device = device
        self._scratch = scratch
        self._workload = workload
        self._settings = settings
        self._reference = reference
        self._static_gate = static_gate
        self._values = CaseValues(settings.seed, settings.functional_limit, self._expect)
        self._fair: dict[str, tuple[str, ...]] = {}
        self._original: Built | None = None
        self._as_meant = False
        self._weights = {case.name: case.weight for case in workload.cases}
        # Small cases first: a wrong candidate should fail as cheaply as it can.
        self._cases = sorted(workload.cases, key=lambda case: (elements(case), case.name))

    @property
    def margin(self) -> float:
        """How much faster counts as faster on a modelled device."""
        return self._settings.margin

    def original(self, time_it: bool = True) -> Evaluation:
        """Evaluate the unchanged operator on all cases, values of large ones included.

        An operator that fails as documented and raises doubts is tried once more as it is evidently meant.
        """
        documented = self._guarded(None, lambda progress: self._original_gates(progress, time_it))
        if documented.state not in (State.INCORRECT, State.VIOLATION, State.FAILED):
            return documented
        self._read(as_meant=True)
        meant = self._guarded(None, lambda progress: self._original_gates(progress, time_it))
        doubts = [violation for case in meant.cases for violation in case.violations if violation.severity == "doubt"]
        if meant.ok and doubts:
            note = f"as documented it fails: {documented.reason}; it passes with {doubts[0].code} read as meant"
            return replace(meant, as_meant=True, notes=(*meant.notes, note))
        self._read(as_meant=False)
        return documented

    def _read(self, *, as_meant: bool) -> None:
        if as_meant != self._as_meant:
            self._as_meant = as_meant
            self._original = None

    def candidate(self, candidate: Candidate, baseline: Evaluation, full: bool = False) -> Evaluation:
        """Evaluate ``candidate`` against ``baseline``.

        ``full`` also computes the large cases, and compiles the very text of the candidate, where else the host code
        may be one that takes its numbers when it is loaded.
        """
        self._read(as_meant=baseline.as_meant)
        result = self._guarded(candidate, lambda progress: self._candidate_gates(progress, candidate, baseline, full))
        if result.state not in (State.OK, State.SLOWER):
            return result
        gain = self._gain(baseline, result)
        return replace(result, speedup=gain.speedup, interval=gain.interval, faster=gain.faster)

    def _gain(self, baseline: Evaluation, result: Evaluation) -> profiling.Gain:
        if self._device.capabilities.modelled:
            return profiling.modelled_gain(baseline.cases, result.cases, self._weights, self._settings.margin)
        floor = max(baseline.noise_floor or 0.0, result.noise_floor or 0.0)
        return measured.measured_gain(result.cases, self._weights, floor, self._rng(None))

    def _rng(self, candidate: Candidate | None) -> np.random.Generator:
        """A generator that depends on nothing but the seed and the program."""
        program = int(candidate.key[:16], 16) if candidate else 0
        return np.random.Generator(np.random.PCG64([self._settings.seed, program]))

    def _guarded(self, candidate: Candidate | None, body: Callable[[_Progress], Evaluation]) -> Evaluation:
        started = time.perf_counter()
        progress = _Progress({case.name: CaseResult(case.name) for case in self._workload.cases})
        try:
            result = body(progress)
        except _Failed as failed:
            progress.gates.append(failed.gate)
            result = Evaluation(failed.state, tuple(progress.gates), tuple(progress.cases.values()))
        finally:
            if candidate is not None:
                self._scratch.discard(candidate)
        return replace(result, seconds=time.perf_counter() - started)

    def _original_gates(self, progress: _Progress, time_it: bool) -> Evaluation:
        built = self._build(self._scratch.materialise(None))
        self._original = built
        notes: list[str] = [] if self._reference else [DIFFERENTIAL]
        for case in self._cases:
            variants = [RANDOM]
            self._check(progress, built, case, RANDOM, original=True)
            if elements(case) <= self._settings.extreme_limit:
                try:
                    self._check(progress, built, case, EXTREME, original=True)
                    variants.append(EXTREME)
                except _Failed as failed:
                    notes.append(f"{case.name}: boundary inputs left out, {failed.gate.reason}")
            self._fair[case.name] = tuple(variants)
        self._passed(progress, Gate.COMPILE, Gate.CORRECTNESS)
        if time_it:
            rng = self._rng(None)
            timed = [case for case in self._cases if not case.correctness_only]
            self._time(progress, timed, lambda case: self._time_original(progress, built, case, rng))
        return self._finished(progress, notes)

    def _candidate_gates(
        self, progress: _Progress, candidate: Candidate, baseline: Evaluation, full: bool
    ) -> Evaluation:
        progress.allowed = frozenset(violation.code for case in baseline.cases for violation in case.violations)
        template = None if full else candidate.template
        built = None if template is None else self._slotted(template)
        cheap = built is not None and self._device.capabilities.modelled
        if built is None:
            built = self._own(candidate, statically=template is None)
        if self._static_gate is not None:
            progress.gates.append(GateResult(Gate.STATIC, True))
        names = {case.name for case in baseline.cases if case.latency_us is not None}
        timed = [case for case in self._cases if case.name in names and not case.correctness_only]
        if cheap:
            # Timing costs less than values, and a tiling search needs no more of what is not faster.
            self._time_together(progress, built, timed)
            slower = self._finished(progress, [])
            if not self._gain(baseline, slower).faster:
                return replace(slower, state=State.SLOWER)
        small = [case for case in self._cases if elements(case) <= self._settings.functional_limit]
        for case in self._cases if full else small or self._cases[:1]:
            for variant in self._variants(case):
                self._check(progress, built, case, variant, original=False, witness=full and variant == RANDOM)
        self._passed(progress, Gate.COMPILE, Gate.CORRECTNESS)
        if not cheap:
            rng = self._rng(candidate)
            self._time(progress, timed, lambda case: self._time_candidate(progress, built, case, full, rng))
        return self._finished(progress, [])

    def _slotted(self, template: HostTemplate) -> Built | None:
        """The program from the folder that candidates share; None where it can't be had so."""
        shared = self._scratch.materialise_shared(template.files)
        if self._static_gate is not None:
            self._reject(self._static_gate.shared(shared))
        built = self._device.build_slotted(SlottedHost(shared, template.values), self._options)
        if built is not None and self._static_gate is not None:
            self._reject_tilings(self._static_gate, shared, built)
        return built

    def _own(self, candidate: Candidate, *, statically: bool) -> Built:
        """The program from a folder of its own, which holds its very text; looked at first with ``statically``."""
        folder = self._scratch.materialise(candidate)
        if statically and self._static_gate is not None:
            self._reject(self._static_gate(folder))
        return self._build(folder)

    def _variants(self, case: Case) -> tuple[str, ...]:
        if case.name not in self._fair:
            # After a resume the original was not run in this process: find out again what it passes.
            self._fair[case.name] = (RANDOM,)
            if elements(case) <= self._settings.extreme_limit:
                spare = _Progress({case.name: CaseResult(case.name)})
                try:
                    self._check(spare, self._original_built(), case, EXTREME, original=True)
                    self._fair[case.name] = (RANDOM, EXTREME)
                except _Failed:
                    pass
        return self._fair[case.name]

    def _original_built(self) -> Built:
        if self._original is None:
            self._original = self._build(self._scratch.materialise(None))
        return self._original

    def _reject(self, verdict: GateResult | None) -> None:
        if verdict is not None:
            raise _Failed(State.STATIC, verdict)

    def _reject_tilings(self, gate: StaticGate, shared: Path, built: Built) -> None:
        """Ask the analysis about the tilings of a candidate for which nothing had to be compiled."""
        soc = self._settings.soc
        try:
            tilings = built.tilings(self._cases)
        except DeviceFailure as failure:
            raise self._failed(failure, Gate.CORRECTNESS) from failure
        for case, tiling in zip(self._cases, tilings, strict=True):
            if isinstance(tiling, DeviceFailure):
                raise self._failed(tiling, Gate.CORRECTNESS) from tiling
            active = active_case(case, soc, tiling)
            self._reject(gate.linked(shared, active, lambda case=case: self._original_built().active_case(case, soc)))

    @property
    def _options(self) -> BuildOptions:
        return BuildOptions(self._settings.soc, as_meant=self._as_meant)

    def _build(self, folder: Path) -> Built:
        try:
            return self._device.build(folder, self._options)
        except DeviceFailure as failure:
            raise self._failed(failure, Gate.COMPILE) from failure

    def _failed(self, failure: DeviceFailure, gate: Gate) -> _Failed:
        """Map a device's failure to the gate that it belongs to.

        Kernels compile when a dtype is first used.
        """
        if failure.stage == "compile":
            gate = Gate.COMPILE
        state = State.COMPILE if gate is Gate.COMPILE else State.FAILED
        reason = self._scratch.scrub(failure.reason)
        if any(phrase in reason for phrase in _TIMEOUT_PHRASES):
            state = State.TIMEOUT
        file = self._scratch.scrub(failure.file) if failure.file else None
        return _Failed(state, GateResult(gate, False, reason, file, failure.line))

    def _check(
        self, progress: _Progress, built: Built, case: Case, variant: str, *, original: bool, witness: bool = False
    ) -> None:
        """Run one case on one set of inputs and compare its outputs; ``witness`` times that run. Raises _Failed."""
        inputs = self._values.inputs(case, variant)
        witness = witness and self._device.capabilities.modelled
        try:
            run = built.run(case, inputs, timing=witness)
        except DeviceFailure as failure:
            raise self._failed(failure, Gate.CORRECTNESS) from failure
        if witness and run.timing is not None:
            progress.witnessed[case.name] = run.timing.latency_us
        before = progress.cases[case.name]
        self._reject_errors(progress, case, run.violations, Gate.CORRECTNESS)
        is_standard = original and self._reference is None
        comparison = self._values.compared(case, variant, inputs, run, sets_the_standard=is_standard)
        block_dim = run.tiling.block_dim if run.tiling else None
        changes: dict[str, Any] = {
            "ub_bytes": run.ub_bytes,
            "block_dim": block_dim,
            "correct": comparison.correct,
            "mean_rel_error": max(before.mean_rel_error or 0.0, comparison.mean_rel_error),
            "max_rel_error": max(before.max_rel_error or 0.0, comparison.max_rel_error),
        }
        if not comparison.correct:
            reason = f"case {case.name}, {variant} inputs: {comparison.reason}"
            if original and variant == EXTREME:
                raise _Failed(State.INCORRECT, GateResult(Gate.CORRECTNESS, False, reason))
            progress.update(case.name, **changes)
            raise _Failed(State.INCORRECT, GateResult(Gate.CORRECTNESS, False, reason))
        progress.update(case.name, **changes)

    def _expect(self, case: Case, inputs: Sequence[Array]) -> Sequence[Array]:
        if self._reference is not None:
            return self._reference(case, inputs)
        try:
            return list(self._original_built().run(case, inputs, timing=False).outputs)
        except DeviceFailure as failure:
            raise self._failed(failure, Gate.CORRECTNESS) from failure

    def _reject_errors(self, progress: _Progress, case: Case, violations: Sequence[Violation], gate: Gate) -> None:
        clean = tuple(self._clean(violation) for violation in violations)
        if clean:
            known = progress.cases[case.name].violations
            progress.update(case.name, violations=(*known, *(v for v in clean if v not in known)))
        error = next((violation for violation in clean if violation.severity == "error"), None)
        if error is None and progress.allowed is not None:
            error = next((violation for violation in clean if violation.code not in progress.allowed), None)
        if error is not None:
            new = "" if error.severity == "error" else f", a {error.severity} that the original does not raise"
            reason = f"case {case.name}: {error.message} ({error.code}{new})"
            raise _Failed(State.VIOLATION, GateResult(gate, False, reason, error.file, error.line))

    def _clean(self, violation: Violation) -> Violation:
        file = self._scratch.scrub(violation.file) if violation.file else None
        return replace(violation, file=file, message=self._scratch.scrub(violation.message))

    def _passed(self, progress: _Progress, *gates: Gate) -> None:
        progress.gates.extend(GateResult(gate, True) for gate in gates)

    def _time(self, progress: _Progress, cases: Sequence[Case], time_one: Callable[[Case], None]) -> None:
        for case in cases:
            try:
                time_one(case)
            except DeviceFailure as failure:
                raise self._failed(failure, Gate.PROFILE) from failure
        progress.gates.append(GateResult(Gate.PROFILE, True))

    def _time_together(self, progress: _Progress, built: Built, cases: Sequence[Case]) -> None:
        """All in one go: what a request costs beside the case itself is paid once."""
        try:
            profiles = dict(zip((case.name for case in cases), built.profiles(cases), strict=True))
        except DeviceFailure as failure:
            raise self._failed(failure, Gate.PROFILE) from failure
        self._time(progress, cases, lambda case: self._time_modelled(progress, built, case, profiles[case.name]))

    def _time_original(self, progress: _Progress, built: Built, case: Case, rng: np.random.Generator) -> None:
        if self._device.capabilities.modelled:
            self._time_modelled(progress, built, case)
            return
        same = measured.original_rounds(lambda: built.profile(case).timing, self._settings.pairs, rng)
        progress.same[case.name] = same.logs
        self._measured(progress, case, same)

    def _time_candidate(
        self, progress: _Progress, built: Built, case: Case, champion: bool, rng: np.random.Generator
    ) -> None:
        if self._device.capabilities.modelled:
            self._time_modelled(progress, built, case)
            return
        original = self._original_built()

        def base() -> Timing:
            return original.profile(case).timing

        def new() -> Timing:
            return built.profile(case).timing

        if champion:
            pairs, same = measured.champion_rounds(base, new, self._settings.pairs, rng)
            progress.same[case.name] = same.logs
        else:
            pairs = measured.interleave(base, new, self._settings.pairs, rng)
        self._measured(progress, case, pairs)

    def _measured(self, progress: _Progress, case: Case, pairs: measured.Pairs) -> None:
        progress.update(
            case.name,
            **progress.cases[case.name].timed(replace(pairs.timing, samples_us=pairs.second_us)),
            base_samples_us=pairs.first_us,
        )
        progress.update(case.name, latency_us=round(float(np.median(pairs.second_us)), TIME_DIGITS))

    def _time_modelled(
        self, progress: _Progress, built: Built, case: Case, known: Profile | DeviceFailure | None = None
    ) -> None:
        found: Profile | RunResult
        try:
            if isinstance(known, DeviceFailure):
                raise known
            found = known or built.profile(case)
        except DeviceFailure as failure:
            if failure.stage != "profile":
                raise
            # Timing that depends on values needs the functional run.
            found = built.run(case, self._values.inputs(case, RANDOM), timing=True)
        if found.timing is None or found.tiling is None:
            raise DeviceFailure("profile", f"case {case.name}: the device gave no time")
        self._reject_errors(progress, case, found.violations, Gate.PROFILE)
        self._compare_times(progress, case, found.timing)
        result = progress.cases[case.name]
        progress.update(
            case.name,
            **result.timed(found.timing),
            ub_bytes=found.ub_bytes or result.ub_bytes,
            block_dim=found.tiling.block_dim,
        )

    def _compare_times(self, progress: _Progress, case: Case, timing: Timing) -> None:
        """Refuse a program that does less where there are no values to compute. Raises _Failed.

        A time with a note rests on values itself.
        """
        seen = progress.witnessed.get(case.name)
        if seen is None or timing.note or seen <= timing.latency_us * (1.0 + self._settings.margin):
            return
        reason = (
            f"case {case.name}: takes {seen:.2f} us where its values are checked and {timing.latency_us:.2f} us "
            "where it is only timed"
        )
        raise _Failed(State.VIOLATION, GateResult(Gate.PROFILE, False, reason))

    def _finished(self, progress: _Progress, notes: Sequence[str]) -> Evaluation:
        cases = tuple(progress.cases.values())
        timed = [case for case in cases if case.latency_us is not None]
        latency = floor = None
        if progress.same:
            floor = measured.noise_floor(progress.same, self._weights, self._rng(None))
        if timed:
            latency = profiling.geometric_mean(
                [case.latency_us or 0.0 for case in timed], [self._weights[case.name] for case in timed]
            )
        return Evaluation(
            State.OK,
            tuple(progress.gates),
            cases,
            latency_us=None if latency is None else round(latency, 5),
            noise_floor=floor,
            notes=tuple(notes),
        )
