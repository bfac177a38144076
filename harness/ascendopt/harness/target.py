"""From a path that a user names to everything that the gates need: sources, workload, reference, chip."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ascendopt.analysis.chips import DEFAULT_SOC, UnknownChip, load_chip, soc_for
from ascendopt.analysis.operators import NotAnOperator, OpDef, Port, discover
from ascendopt.harness.devices.base import Built, Device, DeviceFailure
from ascendopt.harness.gates.evaluator import Reference
from ascendopt.harness.inference import Inferred, UnsupportedOperatorError, example_patterns, infer_workload
from ascendopt.harness.inference.definition import read_definition
from ascendopt.harness.operator_copy import OperatorSources, read_operator
from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workload_file import CATALOGUE, FILE_NAME, find_workload_file, read_workload_file
from ascendopt.harness.workloads import find_workload

# Folder of an operator and a chip -> the compiled operator. Raises DeviceFailure.
Build = Callable[[Path, str], Built]
NO_REFERENCE = "values are not checked against a reference: none is known for this operator"


class TargetError(ValueError):
    """The request can't be met: no workload, unknown chip, case or device. One sentence for the user."""


@dataclass(frozen=True)
class Target:
    """An operator and what it is judged on. ``origin`` says where the workload came from; ``basis``, of one that was
    inferred, what each part rests on: one sentence each. ``entry`` is its name in the catalogue, if that is it."""

    sources: OperatorSources
    workload: Workload
    soc: str
    origin: str
    reference: Reference | None
    notes: tuple[str, ...] = ()
    basis: tuple[str, ...] = ()
    entry: str | None = None


def open_target(
    path: Path,
    soc: str | None = None,
    case: str | None = None,
    build: Build | None = None,
    use_file: bool = True,
) -> Target:
    """Read the operator at ``path`` and find its workload: its file, else the catalogue, else inferred.

    ``soc`` overrides the chip of the workload file; without either it is the default one, or another that the
    operator is defined for. ``case`` keeps one case (or ``name`` for all of ``name/<dtype>`` and all members).
    ``build`` compiles the operator where its workload must be inferred: its host code knows more than its text shows.
    Without ``use_file`` its workload is found as if it had no file. Raises OperatorError, WorkloadFileError,
    TargetError, and the DeviceFailure of ``build`` where the text is not enough.
    """
    sources = read_operator(path)
    soc = check_soc(soc) if soc is not None else None
    file = find_workload_file(sources.target if path.name != FILE_NAME else path) if use_file else None
    found = _described(file) if file else _made_up(sources, soc, build)
    workload = found.workload
    notes = [*found.notes, *([] if workload.reference else [NO_REFERENCE])]
    if case is not None:
        kept = tuple(c for c in workload.cases if _is_called(c, case))
        if not kept:
            known = [c.name for c in workload.cases]
            raise TargetError(f"{sources.name} has no case '{case}'{_near(case, known)}.")
        workload = replace(workload, cases=kept)
    return Target(
        sources,
        workload,
        soc or check_soc(found.soc or DEFAULT_SOC),
        found.origin,
        _reference(workload),
        tuple(notes),
        found.basis,
        found.entry,
    )


def with_golden(target: Target, golden: Path) -> Target:
    """``target`` judged by a kernel golden of the public operator repositories instead. Raises TargetError."""
    from ascendopt.harness.sandbox.reference_runner import GoldenRunner

    if not golden.is_file():
        raise TargetError(f"{golden} does not exist; give a golden.py with __golden__.")
    reference = GoldenRunner(golden, target.sources.name, target.soc)
    notes = tuple(note for note in target.notes if note != NO_REFERENCE)
    return replace(target, reference=reference, notes=(*notes, f"values are checked against {golden.name}"))


def open_device(name: str, soc: str, progress: Callable[[int, int, str], None] | None = None) -> Device:
    """Start the device ``name`` for a chip; ``progress`` sees (done, total, what) of its one-time build.

    Raises TargetError, DeviceFailure (no compiler).
    """
    from ascendopt.harness.devices.registry import device_names, get_device

    if name not in device_names():
        raise TargetError(f"there is no device '{name}'{_near(name, device_names())}.")
    return get_device(name, soc, progress=progress)


def check_soc(soc: str) -> str:
    """``soc`` as the chip table spells it. Raises TargetError with near names when it is not there."""
    try:
        return load_chip(soc).name
    except UnknownChip as error:
        raise TargetError(str(error)) from error


@dataclass(frozen=True)
class _Found:
    """A workload, the chip that it is meant for, where it came from, notes, and what it rests on."""

    workload: Workload
    soc: str | None
    origin: str
    notes: tuple[str, ...] = ()
    basis: tuple[str, ...] = ()
    entry: str | None = None


def _described(file: Path) -> _Found:
    content = read_workload_file(file)
    return _Found(content.workload, content.soc, file.name)


def _made_up(sources: OperatorSources, soc: str | None, build: Build | None) -> _Found:
    definition = _definition(sources)
    chip = soc or _supported(definition.socs if definition else ())
    # Definitions that a macro makes may have no name that the analysis can see: the folder's stands in.
    for name in (definition.name if definition else None, sources.name):
        found = find_workload(name) if name else None
        if found is not None:
            return _Found(found, found.soc or chip, CATALOGUE, (), (f"everything: the catalogue's {name}",), name)
    inferred = _inferred(sources, definition, chip, build)
    return _Found(inferred.workload, chip, "inferred", inferred.notes, inferred.basis)


def _supported(socs: Sequence[str]) -> str:
    """The default chip, or where the definition's chips leave it out, one of theirs."""
    from ascendopt.harness.devices.model.chip_facts import modelled_chips

    return soc_for(socs, modelled_chips())


def _definition(sources: OperatorSources) -> OpDef | None:
    try:
        return discover(sources.target).definition
    except NotAnOperator as error:
        raise TargetError(str(error)) from error


def _inferred(sources: OperatorSources, definition: OpDef | None, soc: str, build: Build | None) -> Inferred:
    built = None
    if build is not None:
        try:
            built = build(sources.target, soc)
        except DeviceFailure:
            # The gates say what is wrong with the host code; the text of the definition has to do here.
            if definition is None or not definition.inputs:
                raise
    described = built.described() if built is not None else None
    if described is None:
        described = _from_text(sources, definition)
    try:
        patterns = example_patterns(sources.root, read_definition(described))
        return infer_workload(described, patterns, built)
    except UnsupportedOperatorError as error:
        raise TargetError(str(error)) from error


def _from_text(sources: OperatorSources, definition: OpDef | None) -> Mapping[str, object]:
    if definition is None or not definition.inputs:
        place = sources.root / "ascendopt.toml"
        raise TargetError(
            f"no workload is known for {sources.name} and its definition does not show its inputs; "
            f"describe its cases in {place} (format: docs/workloads.md)."
        )
    return {
        "name": definition.name,
        "inputs": [_port(port) for port in definition.inputs],
        "outputs": [_port(port) for port in definition.outputs],
        "attrs": [
            {"name": attr.name, "type": attr.type.lower(), "required": attr.required} for attr in definition.attrs
        ],
    }


def _port(port: Port) -> dict[str, object]:
    return {"name": port.name, "kind": port.kind, "dtypes": list(port.dtypes)}


def _reference(workload: Workload) -> Reference | None:
    if workload.reference is None:
        return None
    from ascendopt.harness.sandbox.reference_runner import ReferenceRunner

    return ReferenceRunner(workload.reference, function=workload.function)


def _is_called(case: Case, name: str) -> bool:
    """Its own name, that of all its dtypes, or that of the case with ranges that it is a member of."""
    family = case.sampled is not None and case.sampled.case == name
    return family or case.name == name or case.name.startswith(f"{name}/")


def _near(name: str, known: Sequence[str]) -> str:
    """A hint for a name that does not exist: close ones, else all (at most eight)."""
    lowered = {k.lower(): k for k in known}
    close = [lowered[k] for k in difflib.get_close_matches(name.lower(), lowered, n=4, cutoff=0.6)]
    if close:
        return f"; did you mean {' or '.join(close)}?"
    shown = list(known)[:8]
    more = ", ..." if len(known) > 8 else ""
    return f"; known are {', '.join(shown)}{more}" if shown else ""
