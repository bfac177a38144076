"""`ascendopt run`: the gates on the operator as it is."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ascendopt.cli.main import EXIT_FINDINGS, EXIT_OK
from ascendopt.cli.options import DeviceName, Json, Operator, Soc
from ascendopt.cli.progress import Progress, preparation
from ascendopt.harness.devices.base import Capabilities
from ascendopt.harness.inspection import CaseReport, inspect
from ascendopt.harness.target import Target, open_device, open_target


def command(
    operator: Operator,
    device: DeviceName = "model",
    soc: Soc = None,
    case: Annotated[str | None, typer.Option("--case", help="only this case")] = None,
    as_json: Json = False,
) -> int:
    """Compile an operator, compare its outputs with the reference and print the profile of each case.

    Exit code 1 when a gate fails, 2 when the request is wrong.
    """
    target = open_target(operator, soc, case)
    with preparation() as building:
        where = open_device(device, target.soc, building)
    try:
        reports: list[CaseReport] = []
        with Progress(len(target.workload.cases), target.sources.name) as progress:
            for report in inspect(target, where):
                reports.append(report)
                progress.advance(_line(report))
        if as_json:
            json.dump(_json(target, where.capabilities, reports), sys.stdout, indent=1)
            sys.stdout.write("\n")
        else:
            _print(target, where.capabilities, reports)
    finally:
        where.close()
    return EXIT_OK if all(report.evaluation.ok for report in reports) else EXIT_FINDINGS


def _json(target: Target, device: Capabilities, reports: Sequence[CaseReport]) -> dict[str, object]:
    return {
        "operator": target.sources.name,
        "device": device.name,
        "modelled": device.modelled,
        "soc": target.soc,
        "workload": target.origin,
        "notes": list(target.notes),
        "cases": [report.to_json() for report in reports],
    }


def _line(report: CaseReport) -> str:
    if not report.evaluation.ok:
        return f"{report.case.name}: {report.evaluation.reason}"
    return f"{report.case.name}: {report.result.latency_us:.2f} us"


def _print(target: Target, device: Capabilities, reports: Sequence[CaseReport]) -> None:
    console = Console(highlight=False, soft_wrap=False)
    label = "modelled" if device.modelled else "measured"
    title = Text(f"{target.sources.name} on {device.name} ({label}), {target.soc}")
    table = Table(title=title, title_justify="left")
    for header in ("case", "shapes", "correct"):
        table.add_column(header, overflow="fold")
    for header in ("max rel error", "us", "UB bytes", "blocks"):
        table.add_column(header, justify="right")
    table.add_column("bound by")
    table.add_column("pipes, us", overflow="fold")
    for report in reports:
        # Text, not str: names come from the workspace and must not be read as markup.
        table.add_row(*map(Text, _cells(report)))
    console.print(table)
    for report in reports:
        if not report.evaluation.ok:
            console.print(f"{report.case.name}: {report.evaluation.reason}", style="red", markup=False)
        for violation in report.result.violations:
            if violation.severity != "error":
                place = f"{violation.file}:{violation.line}: " if violation.file else ""
                console.print(f"{report.case.name}: {violation.severity}: {place}{violation.message}", markup=False)
    for note in target.notes:
        console.print(f"Note: {note}.", markup=False)
    console.print(f"Workload: {target.origin}. Sandbox: {device.sandbox}.", markup=False)


def _cells(report: CaseReport) -> list[str]:
    result = report.result
    shapes = ["x".join(map(str, shape)) for spec in report.case.inputs for shape in spec.shapes]
    unique = list(dict.fromkeys(shapes))
    verdict = {True: "yes", False: "NO", None: "not checked"}[report.correct]
    pipes = ", ".join(f"{pipe} {time:.2f}" for pipe, time in result.pipes_us.items() if time)
    return [
        report.case.name,
        ", ".join(unique[:3]) + (" ..." if len(unique) > 3 else ""),
        verdict,
        "-" if result.max_rel_error is None or report.correct is None else f"{result.max_rel_error:.2g}",
        "-" if result.latency_us is None else f"{result.latency_us:.2f}",
        "-" if result.ub_bytes is None else str(result.ub_bytes),
        "-" if result.block_dim is None else str(result.block_dim),
        result.bound or "-",
        pipes or "-",
    ]
