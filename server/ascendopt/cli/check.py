"""`ascendopt check`: findings of the analysis over operators, folders and files."""

from __future__ import annotations

import gc
import sys
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from ascendopt.analysis.baseline import Baseline, read_baseline
from ascendopt.analysis.fixing import apply_fixes, chosen_fixes
from ascendopt.cli.check_cache import CheckCache
from ascendopt.cli.check_json import write_json
from ascendopt.cli.check_text import write_concise, write_text
from ascendopt.cli.checker import Checker, Report
from ascendopt.cli.errors import user_message
from ascendopt.cli.main import EXIT_FINDINGS, EXIT_OK, EXIT_USAGE, UserError
from ascendopt.harness.devices.model.cache import cache_root

MOST_ROUNDS = 10
"""How often fixes are applied and the sources checked again: each fix takes its finding away."""


class Format(str, Enum):
    """How findings are written."""

    TEXT = "text"
    CONCISE = "concise"
    JSON = "json"
    SARIF = "sarif"


def command(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="operators, folders of operators, or files")],
    soc: Annotated[str | None, typer.Option("--soc", help="chip, for example Ascend910B2")] = None,
    shape: Annotated[
        list[str] | None,
        typer.Option("--shape", help="shape of an input, 8,2048; once per input: runs the host tiling for it"),
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="text, concise, json or sarif")] = Format.TEXT,
    select: Annotated[str, typer.Option("--select", help="rules to run: codes or prefixes, with commas")] = "",
    ignore: Annotated[str, typer.Option("--ignore", help="rules to leave out")] = "",
    fix: Annotated[bool, typer.Option("--fix", help="apply the safe fixes to the files")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="check again when a file changes")] = False,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", metavar="FILE", help="report only what this file does not know")
    ] = None,
    write_baseline: Annotated[
        bool, typer.Option("--write-baseline", help="write what there is now into the file of --baseline")
    ] = False,
) -> int:
    """Find what is wrong or slow in operator sources. Exit code 1 with a finding of level error."""
    if write_baseline and (baseline is None or watch):
        raise UserError("--write-baseline needs --baseline FILE, which it writes, and goes without --watch")
    shapes = _shapes(shape or [])
    cache = CheckCache(cache_root() / "check") if not (fix or watch) else None  # these read files that change meanwhile
    checker = Checker(soc, _split(select), _split(ignore), shapes, cache)
    # Facts are many small objects that live to the end of an operator and are freed there: the collector would only
    # look at them again.
    gc.set_threshold(1_000_000, 50, 100)
    run = _Run(checker, paths, output, baseline, write_baseline)
    run.prepare()
    report = checker.check(paths)
    if fix:
        report = _fixed(checker, paths, report)
    report = run.show(report)
    if watch:
        run.watch(report)
    if report.failed:
        return EXIT_USAGE
    return EXIT_FINDINGS if report.has_errors else EXIT_OK


@dataclass(frozen=True)
class _Run:
    """What is checked, what it is compared with, and how it is written."""

    checker: Checker
    paths: list[Path]
    output: Format
    baseline: Path | None
    write_baseline: bool

    def prepare(self) -> None:
        """Raises BaselineError and UserError for a baseline that cannot be read or written, before anything is done."""
        if self.baseline is None:
            return
        if not self.write_baseline:
            read_baseline(self.baseline)
        elif not self.baseline.parent.is_dir():
            raise UserError(f"{self.baseline.parent} does not exist: there is no place for the baseline")

    def show(self, report: Report) -> Report:
        """Write the report, compared with the baseline; gives what is new."""
        if report.failed:
            names = ", ".join(str(path) for path in report.failed)
            sys.stderr.write(f"ascendopt: internal error in {names}; the lines above say where. Please report it.\n")
            if self.write_baseline:
                raise UserError(f"{self.baseline} is not written: not everything was checked")
        if self.baseline is not None and self.write_baseline:
            written = Baseline.of(report.findings, report.texts, self.baseline.parent)
            partial = self.baseline.with_name(f"{self.baseline.name}.new")
            partial.write_text(written.text(), encoding="utf-8")
            partial.replace(self.baseline)
            sys.stderr.write(f"{self.baseline}: {len(report.findings)} findings are known from now on\n")
        if self.baseline is not None:
            report = report.against(self.baseline, read_baseline(self.baseline), self.paths)
        _write(report, self.output)
        sys.stdout.flush()
        return report

    def watch(self, report: Report) -> None:
        """Check again whenever a source or a configuration changes, until the user stops it."""
        from ascendopt.cli.watching import changes

        extra = [self.baseline] if self.baseline is not None else []
        watched = {"report": report}
        for changed in changes(self.paths, extra, lambda: watched["report"].texts):
            sys.stderr.write(f"checked again: {', '.join(changed)}\n")
            try:
                watched["report"] = self.show(self.checker.check(self.paths))
            except Exception as error:
                message = user_message(error)
                if message is None:
                    raise
                sys.stderr.write(f"ascendopt: {message}\n")
            sys.stderr.flush()


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
    """Write the safe fixes and check again, until none is left: one fix can make room for the next."""
    fixed = 0
    touched: set[Path] = set()
    for _ in range(MOST_ROUNDS):
        fixes = chosen_fixes(report.findings)
        if not fixes:
            break
        changed = apply_fixes(fixes, {path: path.read_bytes() for path in report.paths_of(fixes)})
        for path, data in changed.items():
            path.write_bytes(data)
        fixed += len(fixes)
        touched.update(changed)
        report = checker.check(paths)
    if fixed:
        sys.stderr.write(f"fixed {fixed} findings in {len(touched)} files\n")
    return report


def _write(report: Report, output: Format) -> None:
    if output is Format.SARIF:
        from ascendopt.cli.check_sarif import write_sarif
        from ascendopt.cli.rule_addresses import rule_addresses
        from ascendopt.server.protocol import package_version

        write_sarif(report, sys.stdout, package_version(), rule_addresses())
        return
    {Format.TEXT: write_text, Format.CONCISE: write_concise, Format.JSON: write_json}[output](report, sys.stdout)
