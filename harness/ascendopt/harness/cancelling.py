"""Stopping and pausing a run from outside: from a signal handler, another thread or the editor."""

from __future__ import annotations

import signal
import threading
import time
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
    """Set from any thread to stop a run, or to let it rest.

    Cancelled, what computes is interrupted and its child processes end. Paused, what computes goes on to the end of
    the attempt and nothing new begins. ``on_pause`` is called by the run each time that it comes to rest.
    """

    def __init__(self, on_pause: Callable[[], None] | None = None) -> None:
        self._on_pause = on_pause
        self._paused = threading.Event()
        self._paused_s = 0.0
        self._wake = threading.Event()
        self._cancelled = threading.Event()
        self._interrupting = False
        # Reentrant: a signal handler may cancel while the main thread is in here.
        self._lock = threading.RLock()

    def cancel(self) -> None:
        """Ask the run to stop."""
        with self._lock:
            self._cancelled.set()
            self._wake.set()
            main = threading.main_thread().ident
            if self._interrupting and main is not None:
                signal.pthread_kill(main, _INTERRUPT)

    @property
    def cancelled(self) -> bool:
        """Whether ``cancel`` was called."""
        return self._cancelled.is_set()

    def pause(self) -> None:
        """Ask the run to rest before the next attempt."""
        self._wake.clear()
        self._paused.set()

    def resume(self) -> None:
        """Let the run go on."""
        self._paused.clear()
        self._wake.set()

    @property
    def paused(self) -> bool:
        """Whether the run was asked to rest."""
        return self._paused.is_set()

    @property
    def paused_s(self) -> float:
        """How long the run has rested in all: no budget pays for it."""
        return self._paused_s

    def check(self) -> None:
        """Rests while the run is paused. Raises Cancelled once ``cancel`` was called."""
        if self._paused.is_set() and not self._cancelled.is_set():
            self._rest()
        if self._cancelled.is_set():
            raise Cancelled

    def _rest(self) -> None:
        since = time.monotonic()
        if self._on_pause is not None:
            self._on_pause()
        while self._paused.is_set() and not self._cancelled.is_set():
            # In steps: a signal handler runs only between them where nobody else wakes us.
            self._wake.wait(0.2)
        self._paused_s += time.monotonic() - since

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
