"""Stopping and pausing a run from outside: from a signal handler, another thread or the editor."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

Value = TypeVar("Value")

# Not SIGINT: that one has a meaning of its own to whoever runs us.
_INTERRUPT = signal.SIGUSR1


class Cancelled(Exception):
    """The caller asked to stop. The journal can be resumed."""


class _Interrupt(BaseException):
    """Raised in the main thread wherever it is; no ``except Exception`` on the way swallows it."""


class CancelToken:
    """Set from any thread to stop a run: what computes is interrupted, and its child processes end."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()
        self._interrupting = False
        # Reentrant: a signal handler may cancel while the main thread is in here.
        self._lock = threading.RLock()

    def cancel(self) -> None:
        """Ask the run to stop."""
        with self._lock:
            self._cancelled.set()
            main = threading.main_thread().ident
            if self._interrupting and main is not None:
                signal.pthread_kill(main, _INTERRUPT)

    @property
    def cancelled(self) -> bool:
        """Whether ``cancel`` was called."""
        return self._cancelled.is_set()

    def check(self) -> None:
        """Raises Cancelled once ``cancel`` was called."""
        if self._cancelled.is_set():
            raise Cancelled

    def interruptible(self, compute: Callable[[], Value]) -> Value:
        """The value of ``compute``, which ``cancel`` interrupts at once. Raises Cancelled.

        ``compute`` must clean up behind itself when it is interrupted. Outside of the main thread it is not
        interrupted: the token is only checked before it.
        """
        self.check()
        if threading.current_thread() is not threading.main_thread() or self._interrupting:
            return compute()
        # Stays installed: by default the signal would end the process, and it may come a moment too late.
        signal.signal(_INTERRUPT, self._interrupt)
        try:
            return self._computed(compute)
        except _Interrupt:
            raise Cancelled from None

    def _computed(self, compute: Callable[[], Value]) -> Value:
        try:
            self._interrupting = True
            # A cancel before this line has sent no signal.
            self.check()
            return compute()
        finally:
            with self._lock:
                self._interrupting = False

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        if self._interrupting:
            # Once: a second cancel must not disturb the cleaning up.
            self._interrupting = False
            raise _Interrupt
