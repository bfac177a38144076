"""`ascendopt report`: what a run's journal says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ascendopt.cli.main import EXIT_OK, UserError
from ascendopt.harness.report.html import render_html
from ascendopt.harness.report.model import read_report
from ascendopt.harness.report.terminal import print_report


def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="output folder of a run")],
    html: Annotated[Path | None, typer.Option("--html", help="write the report to this HTML file")] = None,
) -> int:
    """Rebuild the report of a run from its journal alone, also of one that was stopped."""
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder; give the output folder of a run.")
    report = read_report(folder)
    if html is not None:
        html.write_text(render_html(report), encoding="utf-8")
    print_report(report, Console(highlight=False))
    return EXIT_OK
