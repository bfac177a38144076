"""`ascendopt explain`: the page of a rule, or the list of all."""

from __future__ import annotations

import sys
from enum import Enum
from typing import Annotated

import typer

from ascendopt.analysis.rules.pages import page, title
from ascendopt.analysis.rules.registry import codes, rule
from ascendopt.cli.main import EXIT_OK, UserError


class Language(str, Enum):
    """Languages of the pages."""

    EN = "en"
    ZH = "zh"


def command(
    code: Annotated[str | None, typer.Argument(metavar="CODE", help="a rule, for example MEM001")] = None,
    every: Annotated[bool, typer.Option("--all", help="list every rule")] = False,
    lang: Annotated[Language, typer.Option("--lang", help="language of the page: en or zh")] = Language.EN,
) -> int:
    """What a rule says, and why."""
    if every:
        for name in codes():
            sys.stdout.write(f"{name}  {rule(name).severity.value:<8} {title(name, lang.value)}\n")
        return EXIT_OK
    if code is None:
        raise UserError("name a rule, as in `ascendopt explain MEM001`, or use --all")
    sys.stdout.write(page(code, lang.value))
    return EXIT_OK
