"""Waiting that can be stopped: a model may think for minutes, a person who cancels won't wait for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

STEP_S = 0.1

Value = TypeVar("Value")


class _Call(Generic[Value]):
    """One call in a thread of its own. The thread is a daemon: a call that was given up holds up no exit."""

    def __init__(self, call: Callable[[], Value]) -> None:
        self._call = call
        self._value: list[Value] = []
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="ascendopt-model", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._value.append(self._call())
        except Exception as error:  # belongs to the thread that waits
            self._error = error

    def finished(self) -> bool:
        self._thread.join(STEP_S)
        return not self._thread.is_alive()

    def result(self) -> Value:
        if self._error is not None:
            raise self._error
        return self._value[0]


def stoppable(call: Callable[[], Value], check: Callable[[], None]) -> Value:
    """The value of ``call``; ``check`` is called every ``STEP_S`` seconds and stops the waiting by raising."""
    running = _Call(call)
    while not running.finished():
        check()
    return running.result()


def stoppable_sleep(seconds: float, check: Callable[[], None]) -> None:
    """Sleep; ``check`` is called every ``STEP_S`` seconds and stops the sleep by raising."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        check()
        time.sleep(min(left, STEP_S))
