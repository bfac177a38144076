"""The inside of a ``fork_server``: orders from standard input, each carried out by a child, how it ended as answer."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from ascendopt.harness.sandbox.fork_server import LAST, NO_CHILD

# prctl(2): whether others may trace a process and read its memory, and who inherits orphans.
_SET_DUMPABLE, _SET_CHILD_SUBREAPER = 4, 36


def serve_orders(carry_out: Callable[[str], int]) -> None:
    """Read orders to the end of standard input; a child calls ``carry_out``, whose result is its exit code.

    The answer is that code, negative for a signal, then ``LAST`` when something that the child started lives on: this
    process ends then, and who gave the order has to kill the rest.
    """
    _set(_SET_CHILD_SUBREAPER, 1)
    _set(_SET_DUMPABLE, 0)
    answers = os.dup(1)
    os.dup2(2, 1)
    for line in sys.stdin:
        try:
            child = os.fork()
        except OSError:
            os.write(answers, f"{NO_CHILD}\n".encode())
            return
        if child == 0:
            os.close(answers)
            _be_the_child(carry_out, line.rstrip("\n"))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if _others_live():
            os.write(answers, f"{code} {LAST}\n".encode())
            return
        os.write(answers, f"{code}\n".encode())


def _be_the_child(carry_out: Callable[[str], int], order: str) -> NoReturn:
    code = 1
    try:
        _set(_SET_DUMPABLE, 1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        code = carry_out(order)
    finally:
        # Not sys.exit: what the server has to do when it ends is not for a child to do.
        os._exit(code)


def _set(what: int, value: int) -> None:
    """Say ``what`` of this process to the system, where it can be told such things."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(what, value, 0, 0, 0)


def _others_live() -> bool:
    """Whether a descendant of the child is left: orphans become children of this process."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                return True
        except ChildProcessError:
            return False
