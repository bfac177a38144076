"""The active cases of an operator's workload: its host tiling is run on the model device."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ascendopt.analysis.active_case import ActiveCase
from ascendopt.cli.progress import preparation
from ascendopt.harness.devices.base import BuildOptions, DeviceFailure
from ascendopt.harness.opening import Devices
from ascendopt.harness.program_inspection import is_program


@dataclass(frozen=True)
class GatheredCases:
    """What was gathered: the cases, and why some or all are missing."""

    cases: tuple[ActiveCase, ...] = ()
    notes: tuple[str, ...] = ()


def workload_cases(path: Path, soc: str, only: str | None = None) -> GatheredCases:
    """One case a case of the workload for which the host tiling succeeds; ``only`` names one.

    What the device cannot do is a note: the facts stay symbolic. Raises TargetError, OperatorError and
    WorkloadFileError for a wrong workload or case.
    """
    if is_program(path):
        return GatheredCases((), ("a kernel-launch program has no workload: sizes are symbolic",))
    cases: list[ActiveCase] = []
    notes: list[str] = []
    try:
        with Devices("model") as devices:
            with preparation() as building:
                target, device = devices.open(path, soc, only, building)
            if target.soc != soc:
                return GatheredCases((), (f"the workload is for {target.soc}: sizes are symbolic for {soc}",))
            notes.append(f"cases: {target.origin}")
            built = device.build(target.sources.target, BuildOptions(soc))
            for case in target.workload.cases:
                try:
                    cases.append(built.active_case(case, soc))
                except DeviceFailure as failure:
                    notes.append(f"case {case.name}: {failure}")
    except DeviceFailure as failure:
        notes.append(f"sizes are symbolic: {failure}")
    return GatheredCases(tuple(cases), tuple(notes))
