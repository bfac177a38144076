"""Python's cycle collector, kept away from keystrokes.

The facts of a large kernel are some million objects that live as long as its file is open. A full collection looks
at all of them: a quarter of a second of CPU, and it comes in the middle of typing. So it is off during an analysis;
what a large analysis leaves behind is frozen, which later collections pass over; and when nothing was analysed for a
while, everything is thawed and looked at once, so that what was dropped meanwhile is freed.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer

MANY_OBJECTS = 20_000  # left by one analysis: the kernel is large, and all of it is new
IDLE_SECONDS = 5.0


class Collector:
    """One for the analyses of a process, which run one at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._timer: Timer | None = None
        self._frozen = False

    @contextmanager
    def paused(self) -> Iterator[None]:
        """No collection in here."""
        self._stop_waiting()
        enabled = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if enabled:
                gc.enable()
                if gc.get_count()[0] > MANY_OBJECTS:
                    gc.collect()
                    gc.freeze()
                    self._frozen = True
                if self._frozen:
                    self._wait()

    def close(self) -> None:
        """End what waits in the background."""
        self._stop_waiting()

    def _wait(self) -> None:
        with self._lock:
            self._timer = Timer(IDLE_SECONDS, self._tidy)
            self._timer.daemon = True
            self._timer.start()

    def _stop_waiting(self) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def _tidy(self) -> None:
        gc.unfreeze()
        gc.collect()
        gc.freeze()
