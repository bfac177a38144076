"""`ascendopt run FILE.asc`: a kernel-launch program, compiled and run as it is."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from ascendopt.analysis.chips import DEFAULT_SOC
from ascendopt.cli.main import EXIT_FINDINGS, EXIT_OK, UserError
from ascendopt.cli.progress import preparation
from ascendopt.cli.run_output import Heading, print_run, run_json
from ascendopt.harness.operator_copy import read_operator
from ascendopt.harness.program_inspection import ProgramPlan, inspect_program
from ascendopt.harness.target import check_soc, open_device

_SHOWN_LINES = 12


@dataclass(frozen=True)
class ProgramChoice:
    """The options of ``run`` that only programs have."""

    defines: Sequence[str]
    prepare: str | None
    verify: str | None
    folder: Path | None


def run_program(source: Path, device: str, soc: str | None, choice: ProgramChoice, as_json: bool) -> int:
    """Run the program at ``source`` and print what it did. Returns the exit code."""
    sources = read_operator(source)
    plan = ProgramPlan(
        sources.target,
        check_soc(soc or DEFAULT_SOC),
        _defines(choice.defines),
        choice.prepare,
        choice.verify,
        choice.folder.resolve() if choice.folder else None,
    )
    with preparation() as building:
        where = open_device(device, plan.soc, building)
    try:
        report = inspect_program(plan, where)
        heading = Heading(sources.name, plan.soc, "the program's own main", report.notes)
        capabilities = replace(where.capabilities, sandbox=report.sandbox or where.capabilities.sandbox)
        if as_json:
            answer = run_json(heading, capabilities, report.cases)
            json.dump({**answer, "exit_code": report.exit_code, "output": report.output}, sys.stdout, indent=1)
            sys.stdout.write("\n")
        else:
            print_run(heading, capabilities, report.cases)
            _print_output(report.output)
    finally:
        where.close()
    return EXIT_OK if report.ok else EXIT_FINDINGS


def _print_output(output: str) -> None:
    lines = output.rstrip().splitlines()
    if not lines:
        return
    console = Console(highlight=False, emoji=False)
    more = f" (the last {_SHOWN_LINES} lines of {len(lines)})" if len(lines) > _SHOWN_LINES else ""
    console.print(f"Output of the program{more}:", markup=False)
    for line in lines[-_SHOWN_LINES:]:
        console.print(f"  {line}", markup=False, soft_wrap=True)


def _defines(given: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given:
        name, _, value = text.partition("=")
        if not re.fullmatch(r"[A-Za-z_]\w*", name) or "\n" in value:
            raise UserError(f"'{text}' is no macro; write NAME or NAME=VALUE.")
        found[name] = value or "1"
    return found
