"""Python's cycle collector, kept away from keystrokes.

The facts of a large kernel are some hundred thousand objects that live as long as its file is open. A full collection
looks at all of them, which takes a quarter of a second of CPU, and it comes in the middle of typing. So nothing is
collected from the start of an analysis until nobody has typed for a while: an analysis leaves little that reference
counts do not free. Should that add up during hours without a pause, it is collected after all.
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock, Timer

IDLE_SECONDS = 2.0
MOST_OBJECTS = 1_000_000  # more than were there at the last collection


class Collector:
    """One for the analyses of a process, which run one at a time."""

    def __init__(self, idle_seconds: float = IDLE_SECONDS, most_objects: int = MOST_OBJECTS) -> None:
        self._idle_seconds = idle_seconds
        self._most_objects = most_objects
        self._lock = Lock()
        self._timer: Timer | None = None

    @contextmanager
    def paused(self) -> Generator[None]:
        """No collection in here, nor soon after. One that was off before stays off."""
        with self._lock:
            ours = self._timer is not None
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        if not ours and not gc.isenabled():
            yield
            return
        gc.disable()
        try:
            yield
        finally:
            if gc.get_count()[0] > self._most_objects:
                gc.collect(0)  # only what came since: what was there before is large, and still in use
            with self._lock:
                self._timer = Timer(self._idle_seconds, self._resume)
                self._timer.daemon = True
                self._timer.start()

    def free(self) -> None:
        """Collect now: facts that nobody holds any more refer to each other in circles, and wait for a pause in vain
        while somebody reads from operator to operator."""
        gc.collect()

    def _resume(self) -> None:
        with self._lock:
            self._timer = None
            gc.enable()
        gc.collect()
