"""The operator as it is, through the gates: every case on its own, so that one failure hides no other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ascendopt.harness.devices.base import Device
from ascendopt.harness.episode_result import sampled_json
from ascendopt.harness.evaluation import CaseResult, Evaluation, violation_json
from ascendopt.harness.gates.evaluator import Evaluator, EvaluatorSettings
from ascendopt.harness.operator_copy import Scratch
from ascendopt.harness.target import Target
from ascendopt.harness.workload import Case


@dataclass(frozen=True)
class CaseReport:
    """One case: what the gates said. ``correct`` is None where there is no reference to compare with."""

    case: Case
    evaluation: Evaluation
    has_reference: bool

    @property
    def result(self) -> CaseResult:
        """The case's own figures."""
        return self.evaluation.cases[0]

    @property
    def correct(self) -> bool | None:
        """Whether the outputs agree with the reference."""
        if self.evaluation.ok and not self.has_reference:
            return None
        return bool(self.result.correct) and self.evaluation.ok

    def to_json(self) -> dict[str, Any]:
        """The contract of ``run --json``, one case; ``reason`` says why a gate failed."""
        result = self.result
        specs = (*self.case.inputs, *self.case.outputs)
        return {
            "name": self.case.name,
            "shapes": {spec.name: [list(shape) for shape in spec.shapes] for spec in specs},
            "dtypes": {spec.name: spec.dtype for spec in specs},
            "correct": self.correct,
            "max_rel_error": result.max_rel_error if self.has_reference else None,
            "latency_us": result.latency_us,
            "pipes_us": dict(result.pipes_us),
            "bound": result.bound or None,
            "ub_bytes": result.ub_bytes,
            "violations": [violation_json(violation) for violation in result.violations],
            "reason": self.evaluation.reason or None,
            "state": self.evaluation.state.value,
            "block_dim": result.block_dim,
            "guessed_share": result.guessed_share,
            "roofline": _roofline(result),
            "as_meant": self.evaluation.as_meant,
            "notes": list(self.evaluation.notes),
            "weight": self.case.weight,
            "correctness_only": self.case.correctness_only,
            "sampled": None if self.case.sampled is None else sampled_json(self.case.sampled),
        }


def _roofline(result: CaseResult) -> dict[str, Any] | None:
    line = result.roofline
    if line is None:
        return None
    bound, least = line.bound()
    return {
        "bound": bound,
        "bound_us": least,
        "resources_us": dict(line.resources_us),
        "read_bytes": line.read_bytes,
        "write_bytes": line.write_bytes,
        "hbm_bytes": line.hbm_bytes,
    }


def inspect(target: Target, device: Device, seed: int = 0) -> Iterator[CaseReport]:
    """Send each case of ``target`` through the gates, one after the other."""
    settings = EvaluatorSettings(soc=target.soc, seed=seed)
    with Scratch(target.sources) as scratch:
        for case in target.workload.cases:
            workload = replace(target.workload, cases=(replace(case, correctness_only=False),))
            evaluator = Evaluator(device, scratch, workload, settings, target.reference)
            yield CaseReport(case, evaluator.original(), target.reference is not None)
