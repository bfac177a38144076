"""`ascendopt check`: findings of the analysis over operators, folders and files."""

from __future__ import annotations

import gc
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from ascendopt.analysis.fixing import apply_fixes, chosen_fixes
from ascendopt.cli.check_cache import CheckCache
from ascendopt.cli.check_output import write_json, write_sarif, write_text
from ascendopt.cli.checker import Checker, Report
from ascendopt.cli.main import EXIT_FINDINGS, EXIT_OK, UserError
from ascendopt.harness.devices.model.cache import cache_root


class Format(str, Enum):
    """How findings are written."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"


def command(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="operators, folders of operators, or files")],
    soc: Annotated[str | None, typer.Option("--soc", help="chip, for example Ascend910B2")] = None,
    shape: Annotated[
        list[str] | None,
        typer.Option("--shape", help="shape of an input, 8,2048; once per input: runs the host tiling for it"),
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="text, json or sarif")] = Format.TEXT,
    select: Annotated[str, typer.Option("--select", help="rules to run: codes or prefixes, with commas")] = "",
    ignore: Annotated[str, typer.Option("--ignore", help="rules to leave out")] = "",
    fix: Annotated[bool, typer.Option("--fix", help="apply the safe fixes to the files")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="check again when a file changes")] = False,
) -> int:
    """Find what is wrong or slow in operator sources. Exit code 1 with a finding of level error."""
    shapes = _shapes(shape or [])
    cache = CheckCache(cache_root() / "check") if not (fix or watch) else None  # these read files that change meanwhile
    checker = Checker(soc, _split(select), _split(ignore), shapes, cache)
    # Facts are many small objects that live to the end of an operator: the collector would only look at them again.
    gc.set_threshold(200_000, 50, 100)
    report = checker.check(paths)
    if fix:
        report = _fixed(checker, paths, report)
    _write(report, output)
    if watch:
        _watch(checker, paths, output)
    return EXIT_FINDINGS if report.has_errors else EXIT_OK


def _split(text: str) -> tuple[str, ...]:
    return tuple(entry for entry in text.split(",") if entry.strip())


def _shapes(texts: list[str]) -> tuple[tuple[int, ...], ...]:
    try:
        shapes = tuple(
            tuple(int(number) for number in text.strip("[]() ").split(",") if number.strip()) for text in texts
        )
    except ValueError:
        raise UserError(f"--shape {' '.join(texts)} is not a shape: write numbers with commas, as in 8,2048") from None
    if any(number < 0 for one in shapes for number in one):
        raise UserError("--shape has a negative dimension")
    return shapes


def _fixed(checker: Checker, paths: list[Path], report: Report) -> Report:
    """Write the safe fixes and check again: one fix can make room for the next."""
    fixes = chosen_fixes(report.findings)
    if not fixes:
        return report
    changed = apply_fixes(fixes, {path: path.read_bytes() for path in report.paths_of(fixes)})
    for path, data in changed.items():
        path.write_bytes(data)
    sys.stderr.write(f"fixed {len(fixes)} findings in {len(changed)} files\n")
    return checker.check(paths)


def _write(report: Report, output: Format) -> None:
    writer = {Format.TEXT: write_text, Format.JSON: write_json, Format.SARIF: write_sarif}[output]
    writer(report, sys.stdout)


def _watch(checker: Checker, paths: list[Path], output: Format) -> None:
    import watchfiles

    for _ in watchfiles.watch(*paths, raise_interrupt=True):
        _write(checker.check(paths), output)
