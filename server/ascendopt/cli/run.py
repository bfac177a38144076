"""`ascendopt run`: the gates on the operator as it is."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from ascendopt.cli.main import EXIT_FINDINGS, EXIT_OK, UserError
from ascendopt.cli.options import DeviceName, Json, Operator, Soc
from ascendopt.cli.progress import Progress, preparation
from ascendopt.cli.run_output import Heading, print_run, run_json
from ascendopt.harness.devices.base import BuildOptions, Device
from ascendopt.harness.inspection import CaseReport, inspect
from ascendopt.harness.opening import Devices
from ascendopt.harness.program_inspection import is_program
from ascendopt.harness.target import Target, with_golden


def command(
    operator: Operator,
    device: DeviceName = "model",
    soc: Soc = None,
    case: Annotated[str | None, typer.Option("--case", help="only this case")] = None,
    golden: Annotated[
        Path | None, typer.Option("--golden", help="a golden.py of the public repositories as the reference")
    ] = None,
    as_json: Json = False,
    trace: Annotated[
        Path | None, typer.Option("--trace", help="write a timeline for Perfetto or chrome://tracing here (modelled)")
    ] = None,
    define: Annotated[
        list[str] | None, typer.Option("--define", "-D", help="a macro for a kernel-launch program: NAME or NAME=VALUE")
    ] = None,
    prepare: Annotated[str | None, typer.Option("--prepare", help="command that makes a program's input")] = None,
    verify: Annotated[str | None, typer.Option("--verify", help="command that checks a program's output")] = None,
    folder: Annotated[Path | None, typer.Option("--in", help="run a program in this folder, not in a copy")] = None,
) -> int:
    """Compile an operator, compare its outputs with the reference and print the profile of each case.

    A source with kernels and the main that launches them (.asc, or .cpp with <<<>>>) is compiled and run as it is; each
    launch is a case. Exit code 1 when a gate fails, 2 when the request is wrong.
    """
    if is_program(operator):
        from ascendopt.cli.run_program import ProgramChoice, run_program

        if trace is not None:
            raise UserError("--trace is for operators; a kernel-launch program has no timeline yet.")
        if case is not None:
            raise UserError("a kernel-launch program has no cases to choose from; drop --case.")
        if golden is not None:
            raise UserError("a kernel-launch program has its own check; drop --golden.")
        return run_program(operator, device, soc, ProgramChoice(define or [], prepare, verify, folder), as_json)
    if define or prepare or verify or folder:
        raise UserError("--define, --prepare, --verify and --in are for kernel-launch programs (.asc, .cpp).")
    with Devices(device) as devices:
        with preparation() as building:
            target, where = devices.open(operator, soc, case, building)
        if golden is not None:
            target = with_golden(target, golden)
        reports: list[CaseReport] = []
        with Progress(len(target.workload.cases), target.sources.name) as progress:
            for report in inspect(target, where):
                reports.append(report)
                progress.advance(_line(report))
        if trace is not None:
            _write_trace(trace, target, where)
        heading = Heading(target.sources.name, target.soc, target.origin, target.notes)
        if as_json:
            json.dump(run_json(heading, where.capabilities, reports), sys.stdout, indent=1)
            sys.stdout.write("\n")
        else:
            print_run(heading, where.capabilities, reports)
    return EXIT_OK if all(report.evaluation.ok for report in reports) else EXIT_FINDINGS


def _write_trace(path: Path, target: Target, device: Device) -> None:
    """Raises UserError when the device has no timeline, or the file cannot be written."""
    from ascendopt.harness.devices.model.built import ModelBuilt
    from ascendopt.harness.devices.model.timeline import chrome_trace
    from ascendopt.harness.operator_copy import Scratch

    with Scratch(target.sources) as scratch:
        built = device.build(scratch.materialise(None), BuildOptions(target.soc))
        if not isinstance(built, ModelBuilt):
            raise UserError("--trace needs the model device.")
        timelines = [(case.name, built.timeline(case)) for case in target.workload.cases if not case.correctness_only]
    try:
        path.write_text(json.dumps(chrome_trace(target.sources.name, target.soc, timelines)) + "\n", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.") from error


def _line(report: CaseReport) -> str:
    if not report.evaluation.ok:
        return f"{report.case.name}: {report.evaluation.reason}"
    return f"{report.case.name}: {report.result.latency_us:.2f} us"
