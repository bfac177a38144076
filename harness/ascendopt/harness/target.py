"""From a path that a user names to everything that the gates need: sources, workload, reference, chip."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ascendopt.harness.devices.base import Device
from ascendopt.harness.gates.evaluator import Reference
from ascendopt.harness.operator_copy import OperatorSources, read_operator
from ascendopt.harness.workload import Workload
from ascendopt.harness.workload_file import find_workload_file, read_workload_file

DEFAULT_SOC = "Ascend910B2"
NO_REFERENCE = "values are not checked against a reference: none is known for this operator"

# Name -> module and class. Imported when opened: devices bring compilers and worker processes.
DEVICES = {"model": ("ascendopt.harness.devices.model.device", "ModelDevice")}


class TargetError(ValueError):
    """The request can't be met: no workload, unknown chip, case or device. One sentence for the user."""


@dataclass(frozen=True)
class Target:
    """An operator and what it is judged on. ``origin`` says where the workload came from."""

    sources: OperatorSources
    workload: Workload
    soc: str
    origin: str
    reference: Reference | None
    notes: tuple[str, ...] = ()


def open_target(path: Path, soc: str | None = None, case: str | None = None) -> Target:
    """Read the operator at ``path`` and find its workload: its file, else the catalogue, else inferred.

    ``soc`` overrides the chip of the workload file; ``case`` keeps one case (or ``name`` for all of
    ``name/<dtype>``). Raises OperatorError, WorkloadFileError, TargetError.
    """
    sources = read_operator(path)
    workload, file_soc, origin = _workload(path, sources)
    notes: list[str] = [] if workload.reference else [NO_REFERENCE]
    if case is not None:
        kept = tuple(c for c in workload.cases if c.name == case or c.name.startswith(f"{case}/"))
        if not kept:
            known = [c.name for c in workload.cases]
            raise TargetError(f"{sources.name} has no case '{case}'{_near(case, known)}.")
        workload = replace(workload, cases=kept)
    return Target(
        sources,
        workload,
        check_soc(soc or file_soc or DEFAULT_SOC),
        origin,
        _reference(workload),
        tuple(notes),
    )


def open_device(name: str, soc: str) -> Device:
    """Start the device ``name`` for a chip. Raises TargetError, DeviceFailure (no compiler)."""
    if name not in DEVICES:
        raise TargetError(f"there is no device '{name}'{_near(name, list(DEVICES))}.")
    module, attribute = DEVICES[name]
    return getattr(importlib.import_module(module), attribute)(soc)


def check_soc(soc: str) -> str:
    """``soc`` as the chip table spells it. Raises TargetError with near names when it is not there."""
    known = known_socs()
    exact = next((name for name in known if name.lower() == soc.lower()), None)
    if exact is None:
        raise TargetError(f"unknown chip '{soc}'{_near(soc, known)}.")
    return exact


def known_socs() -> list[str]:
    """The names of the chips that the analysis has data for."""
    from ascendopt.analysis.chips import chip_names

    return list(chip_names())


def _workload(path: Path, sources: OperatorSources) -> tuple[Workload, str | None, str]:
    file = find_workload_file(sources.target if path.name != "ascendopt.toml" else path)
    if file is not None:
        content = read_workload_file(file)
        return content.workload, content.soc, file.name
    from ascendopt.harness.workloads import find_workload, infer_workload

    found = find_workload(sources.target)
    if found is not None:
        return found, None, "catalogue"
    inferred = infer_workload(sources.target)
    if inferred is None:
        raise TargetError(
            f"no workload is known for {sources.name}; describe its cases in "
            f"{sources.root / 'ascendopt.toml'} (format: docs/workloads.md)."
        )
    return inferred, None, "inferred"


def _reference(workload: Workload) -> Reference | None:
    if workload.reference is None:
        return None
    from ascendopt.harness.sandbox.reference_runner import ReferenceRunner

    return ReferenceRunner(workload.reference)


def _near(name: str, known: Sequence[str]) -> str:
    """A hint for a name that does not exist: close ones, else all (at most eight)."""
    lowered = {k.lower(): k for k in known}
    close = [lowered[k] for k in difflib.get_close_matches(name.lower(), lowered, n=4, cutoff=0.6)]
    if close:
        return f"; did you mean {' or '.join(close)}?"
    shown = list(known)[:8]
    more = ", ..." if len(known) > 8 else ""
    return f"; known are {', '.join(shown)}{more}" if shown else ""
