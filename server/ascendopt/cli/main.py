"""The `ascendopt` command: a table of commands, each imported when it is called."""

from __future__ import annotations

import difflib
import importlib
import importlib.metadata
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass

EXIT_OK = 0
EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_CANCELLED = 130
TRACEBACK_FRAMES = 6


@dataclass(frozen=True)
class Command:
    """A command: the module that has ``command`` (a function for typer) or ``app``, and one line of help."""

    name: str
    module: str
    help: str


COMMANDS = (
    Command("check", "ascendopt.cli.check", "Find what is wrong or slow in operator sources"),
    Command("facts", "ascendopt.cli.facts", "What the analysis knows of an operator: buffers, copies, tiling fields"),
    Command("explain", "ascendopt.cli.explain", "What a rule says, and why"),
    Command("run", "ascendopt.cli.run", "Compile, check and time an operator as it is"),
    Command("workload", "ascendopt.cli.workload", "Write an operator's cases to a file, to edit: init"),
    Command("tune", "ascendopt.cli.tune", "Search an operator's tiling; the result is a patch"),
    Command("bank", "ascendopt.cli.bank", "The bank of experiences: list, search, import, export, lint"),
    Command("refine", "ascendopt.cli.refine", "Rewrite a kernel by measured experience; the result is a patch"),
    Command("optimize", "ascendopt.cli.optimize", "Refine the kernel, then search its tiling"),
    Command("rewind", "ascendopt.cli.rewind", "Learn from strong operators what their optimisations are worth"),
    Command("bench", "ascendopt.cli.bench", "Compare methods over operators under one budget"),
    Command("report", "ascendopt.cli.report", "The report of a finished or stopped run"),
    Command("device", "ascendopt.cli.device", "Devices of this machine: list, doctor"),
    Command("serve", "ascendopt.cli.serve", "The language server"),
)


class UserError(Exception):
    """A request that is wrong: one sentence on stderr, exit code 2."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    0 fine, 1 findings or a failed gate, 2 wrong request, 130 cancelled.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        sys.stdout.write(_overview())
        return EXIT_OK if arguments else EXIT_USAGE
    if arguments[0] in ("-V", "--version"):
        sys.stdout.write(f"ascendopt {importlib.metadata.version('ascendopt')}\n")
        return EXIT_OK
    command = next((c for c in COMMANDS if c.name == arguments[0]), None)
    if command is None:
        return _refuse(f"there is no command '{arguments[0]}'{_hint(arguments[0])}.")
    try:
        return _invoke(command, arguments[1:])
    except KeyboardInterrupt:
        sys.stderr.write("cancelled\n")
        return EXIT_CANCELLED
    except BrokenPipeError:
        # The reader of a pipe (head, less) has gone: not an error of ours.
        sys.stderr.close()
        return EXIT_OK
    except Exception as error:
        message = _sentence(error)
        if message is None:
            traceback.print_exception(error, limit=-TRACEBACK_FRAMES)
            return _refuse(f"internal error: {type(error).__name__}; the lines above say where. Please report it.")
        return _refuse(message)


def _invoke(command: Command, arguments: list[str]) -> int:
    import typer

    module = importlib.import_module(command.module)
    app: typer.Typer | None = getattr(module, "app", None)
    if app is None:
        app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        app.command(help=module.command.__doc__)(module.command)
    code = app(args=arguments, prog_name=f"ascendopt {command.name}", standalone_mode=False)
    return code if isinstance(code, int) else EXIT_OK


def _sentence(error: Exception) -> str | None:
    """The message for an error that the user caused; None for a defect of ours."""
    from ascendopt.cli.errors import user_message

    return user_message(error)


def _refuse(message: str) -> int:
    if message == "cancelled":
        sys.stderr.write("cancelled\n")
        return EXIT_CANCELLED
    sys.stderr.write(f"ascendopt: {message}\n")
    return EXIT_USAGE


def _hint(name: str) -> str:
    close = difflib.get_close_matches(name, [c.name for c in COMMANDS], n=2)
    return f"; did you mean {' or '.join(close)}?" if close else "; see ascendopt --help"


def _overview() -> str:
    lines = ["usage: ascendopt COMMAND ...", "", "AscendC operators: legal, then fast, and why.", ""]
    lines += [f"  {c.name:<9} {c.help}" for c in COMMANDS]
    lines += ["", "ascendopt COMMAND --help explains a command.", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
