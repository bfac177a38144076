"""`python -I -m ascendopt.server`: the language server on standard input and output, or on a TCP port."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from typing import BinaryIO

from ascendopt.server.protocol import PROTOCOL_VERSION, package_version


def main(arguments: list[str] | None = None) -> int:
    """Run until the client says exit. Returns the process's exit code."""
    options = _parser().parse_args(arguments)
    if options.probe:
        answer = {"version": package_version(), "protocol": PROTOCOL_VERSION}
        sys.stdout.write(json.dumps(answer) + "\n")
        return 0
    logging.basicConfig(
        stream=sys.stderr, level=options.log_level.upper(), format="%(levelname)s %(name)s: %(message)s"
    )
    # pygls logs every body it sends; that is for its authors.
    logging.getLogger("pygls").setLevel(logging.WARNING)
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_defect)
    if options.tcp is not None:
        return serve_tcp(options.tcp)
    return serve_stdio()


def serve_stdio() -> int:
    """Serve one client on standard input and output."""
    from ascendopt.server.app import create_server

    output = _protected_stdout()
    create_server().start_io(sys.stdin.buffer, output)
    return 0


def serve_tcp(port: int) -> int:
    """Serve one client on `port` of the loopback interface. Returns 2 when the port can't be used."""
    from ascendopt.server.app import create_server

    try:
        create_server().start_tcp("127.0.0.1", port)
    except (OSError, OverflowError) as error:
        sys.stderr.write(f"Can't listen on 127.0.0.1:{port}: {error}. Choose another port.\n")
        return 2
    return 0


def _is_defect(record: logging.LogRecord) -> bool:
    """False for answers that are errors on purpose (a stale fix, a wrong request): the client gets their sentence."""
    from pygls.exceptions import JsonRpcException

    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, JsonRpcException)


def _protected_stdout() -> BinaryIO:
    """The stream for messages. What anything else writes to file descriptor 1 goes to standard error instead."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return output


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ascendopt-server", description="Language server for AscendC operators.")
    parser.add_argument("--stdio", action="store_true", help="serve on standard input and output (the default)")
    parser.add_argument("--tcp", type=int, metavar="PORT", help="serve on 127.0.0.1:PORT instead")
    parser.add_argument("--probe", action="store_true", help="print version and protocol as JSON and exit")
    parser.add_argument(
        "--log-level",
        default="warning",
        choices=["debug", "info", "warning", "error"],
        help="level of the log on stderr",
    )
    # Editors add this to every server they start.
    parser.add_argument("--clientProcessId", type=int, help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
