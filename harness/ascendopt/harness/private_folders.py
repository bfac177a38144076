"""Folders that live as long as the process that made them, and what killed processes left of theirs.

Beside each folder lies a file that its owner keeps locked. A lock goes with its process, however that ends: whoever
makes the next folder in the same place and can take the lock removes both.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import tempfile
import time
import weakref
from pathlib import Path
from types import TracebackType

PREFIX = "ascendopt-"
_LOCK = ".lock"
_UNLOCKED = ".new"
# Between its making and its locking a file is nobody's; that takes no time worth mentioning.
_STALE_S = 60.0


class PrivateFolder:
    """A new folder in ``base`` (by default where temporary files go). ``close``, the end of a ``with`` block or the end
    of the process remove it with everything in it."""

    def __init__(self, base: Path | None = None, prefix: str = PREFIX) -> None:
        base = base or Path(tempfile.gettempdir())
        remove_abandoned(base, prefix)
        self.path = base / f"{prefix}{secrets.token_hex(8)}"
        descriptor = _lock_beside(self.path)
        self._finalizer = weakref.finalize(self, _remove, self.path, descriptor)
        self.path.mkdir(mode=0o700)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove the folder."""
        self._finalizer()


def remove_abandoned(base: Path, prefix: str = PREFIX) -> None:
    """Remove the folders in ``base`` whose processes are gone; those of other users are left alone."""
    for lock in [*base.glob(f"{prefix}*{_LOCK}"), *base.glob(f"{prefix}*{_UNLOCKED}")]:
        with contextlib.suppress(OSError):
            if lock.suffix == _UNLOCKED and time.time() - lock.stat().st_mtime < _STALE_S:
                continue
            descriptor = os.open(lock, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(descriptor)
                continue
            _remove(lock.with_suffix(""), descriptor)
            lock.unlink(missing_ok=True)


def _lock_beside(folder: Path) -> int:
    """A locked file that appears under its name when it is locked."""
    fresh = folder.with_name(folder.name + _UNLOCKED)
    descriptor = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    fresh.rename(folder.with_name(folder.name + _LOCK))
    return descriptor


def _remove(folder: Path, descriptor: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.with_name(folder.name + _LOCK).unlink(missing_ok=True)
    os.close(descriptor)
