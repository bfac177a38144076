"""`ascendopt workload init`: the cases that an operator would be judged on, as a file to edit."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ascendopt.cli.main import EXIT_OK, UserError
from ascendopt.cli.options import Json, Operator, Soc
from ascendopt.cli.progress import preparation
from ascendopt.harness.opening import Devices
from ascendopt.harness.program_inspection import is_program
from ascendopt.harness.target import Target
from ascendopt.harness.workload_file import FILE_NAME, WorkloadFile
from ascendopt.harness.workload_writer import workload_text

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.callback()
def workloads() -> None:
    """Workloads of operators."""


@app.command()
def init(
    operator: Operator,
    soc: Soc = None,
    force: Annotated[bool, typer.Option("--force", help="replace a file that is there")] = False,
    as_json: Json = False,
) -> int:
    """Write ascendopt.toml with the cases that are known or inferred for an operator, and say what from.

    Nothing is written when the operator has such a file, unless --force is given.
    """
    if is_program(operator):
        raise UserError(f"{operator} is a kernel-launch program: it brings its own data and has no workload.")
    folder = operator if operator.is_dir() else operator.parent
    file = folder / FILE_NAME
    if not force and (file.exists() or file.is_symlink()):
        raise UserError(f"{file} exists; edit it, or replace it with --force.")
    with Devices("model") as devices, preparation() as building:
        target, _ = devices.open(operator, soc, None, building, use_file=False)
    text = workload_text(folder, _content(target), _head(target))
    with file.open("w" if force else "x", encoding="utf-8") as stream:
        stream.write(text)
    if as_json:
        json.dump(_json(file, target), sys.stdout, indent=1)
        sys.stdout.write("\n")
    else:
        sys.stdout.write("\n".join(_lines(file, target)) + "\n")
    return EXIT_OK


def _content(target: Target) -> WorkloadFile:
    known = target.workload.source is not None and target.workload.reference is not None
    catalogue = target.entry if known else None
    return WorkloadFile(target.workload, None, target.soc, catalogue)


def _head(target: Target) -> Sequence[str]:
    return [
        f"The cases that {target.sources.name} is judged on, written by `ascendopt workload init`; edit them freely.",
        "Format: docs/workloads.md. What was inferred, and from what:",
        *(f"- {sentence}" for sentence in target.basis),
        *(f"- {note}" for note in _left_out(target)),
        "Cases with correctness_only are checked but not timed. `weight = 2.0` in a case lets it count twice.",
    ]


def _left_out(target: Target) -> Sequence[str]:
    return [note for note in target.notes if note.startswith("case ")]


def _lines(file: Path, target: Target) -> list[str]:
    cases = target.workload.cases
    timed = sum(not case.correctness_only for case in cases)
    lines = [f"{file}: {len(cases)} cases for {target.soc}, {timed} of them timed ({target.origin})"]
    return [*lines, *target.basis, *(f"note: {note}" for note in _left_out(target))]


def _json(file: Path, target: Target) -> dict[str, object]:
    return {
        "file": str(file),
        "operator": target.sources.name,
        "soc": target.soc,
        "origin": target.origin,
        "cases": [case.name for case in target.workload.cases],
        "basis": list(target.basis),
        "notes": list(_left_out(target)),
    }
