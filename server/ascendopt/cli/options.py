"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Operator = Annotated[
    Path,
    typer.Argument(
        metavar="OPERATOR",
        help="folder with op_host/ and op_kernel/, a single-file operator, or an ascendopt.toml",
    ),
]
Operators = Annotated[
    list[Path],
    typer.Argument(
        metavar="OPERATOR...",
        help="folders with op_host/ and op_kernel/, single-file operators, or ascendopt.toml files",
    ),
]
DeviceName = Annotated[str, typer.Option("--device", help="device to run on")]
Soc = Annotated[str | None, typer.Option("--soc", help="chip, for example Ascend910B2")]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        max=256,
        help="candidates evaluated at a time; the result is the same [1; on a cluster all that it has room for]",
    ),
]
ExecutorName = Annotated[
    str, typer.Option("--executor", help="where candidates are evaluated: local, ray or ray:HOST:PORT")
]
Json = Annotated[bool, typer.Option("--json", help="JSON on stdout")]
