"""`ascendopt serve`: the language server, on standard input and output or on a TCP port of this machine."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    tcp: Annotated[int | None, typer.Option("--tcp", metavar="PORT", help="listen on 127.0.0.1:PORT")] = None,
) -> int:
    """Run the language server."""
    from ascendopt.server.__main__ import main

    return main([] if tcp is None else ["--tcp", str(tcp)])
