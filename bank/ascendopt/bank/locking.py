"""One writer at a time, across processes and threads."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ascendopt.bank.errors import BankError

_PAUSE = 0.01


@contextmanager
def write_lock(path: Path, seconds: float) -> Generator[None]:
    """Hold the lock file ``path``. The system lets go of it when its holder dies, however that happens.

    Raises:
        BankError: another process held it for ``seconds``.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        deadline = time.monotonic() + seconds
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise BankError(
                        f"bank {path.parent} has been written by another process for {seconds:.0f} s; try again."
                    ) from None
                time.sleep(_PAUSE)
        yield
    finally:
        os.close(descriptor)
