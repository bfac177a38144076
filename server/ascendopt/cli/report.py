"""`ascendopt report`: what a run's journal says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ascendopt.cli.bench import print_bench
from ascendopt.cli.main import EXIT_OK, UserError
from ascendopt.harness.bench.results import RECORD_NAME, read_results
from ascendopt.harness.report.html import render_html
from ascendopt.harness.report.model import read_report
from ascendopt.harness.report.terminal import explain_rejections, print_report


def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="output folder of a run, or of a bench")],
    html: Annotated[Path | None, typer.Option("--html", help="write the report to this HTML file")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="say why trials were rejected, by reason")] = False,
) -> int:
    """Rebuild the report of a run from its journal alone, also of one that was stopped; of a bench from all of its."""
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder; give the output folder of a run.")
    console = Console(highlight=False, emoji=False)
    if (folder / RECORD_NAME).is_file():
        if explain:
            raise UserError(
                f"{folder} is a bench; --explain takes one of its runs, as {folder}/METHOD/OPERATOR/seed-0."
            )
        result = read_results(folder)
        if html is not None:
            html.write_text(result.page(), encoding="utf-8")
        print_bench(result, console)
        return EXIT_OK
    report = read_report(folder)
    if html is not None:
        html.write_text(render_html(report), encoding="utf-8")
    print_report(report, console)
    if explain:
        console.print(explain_rejections(report))
    return EXIT_OK
