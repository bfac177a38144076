"""`ascendopt explain`: the page of a rule, or the list of all."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ascendopt.analysis.rules.registry import codes, page, rule
from ascendopt.cli.main import EXIT_OK, UserError


def command(
    code: Annotated[str | None, typer.Argument(metavar="CODE", help="a rule, for example MEM001")] = None,
    every: Annotated[bool, typer.Option("--all", help="list every rule")] = False,
) -> int:
    """What a rule says, and why."""
    if every:
        for name in codes():
            title = page(name).partition("\n")[0].partition(": ")[2]
            sys.stdout.write(f"{name}  {rule(name).severity.value:<8} {title}\n")
        return EXIT_OK
    if code is None:
        raise UserError("name a rule, as in `ascendopt explain MEM001`, or use --all")
    sys.stdout.write(page(code))
    return EXIT_OK
