"""The user cache: content-addressed files, safe when several processes fill it at once."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import tempfile
from collections.abc import Generator, Iterable
from pathlib import Path


def cache_root() -> Path:
    """``$ASCENDOPT_CACHE``, else ``$XDG_CACHE_HOME/ascendopt``, else ``~/.cache/ascendopt``."""
    if explicit := os.environ.get("ASCENDOPT_CACHE"):
        return Path(explicit)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "ascendopt"


def digest(parts: Iterable[str | bytes]) -> str:
    """SHA-256 over ``parts``, each preceded by its length so that no two lists collide; 40 hex digits."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "little"))
        total.update(data)
    return total.hexdigest()[:40]


@contextlib.contextmanager
def locked(path: Path) -> Generator[None]:
    """Hold an exclusive lock on ``path`` between processes; a holder that dies releases it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(handle, fcntl.LOCK_UN)


@contextlib.contextmanager
def replacing(target: Path) -> Generator[Path]:
    """A temporary path beside ``target`` that takes its place when the block ends without an exception.

    Readers see the old file or the whole new one, never a part.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def write_atomically(target: Path, data: str | bytes) -> None:
    """Write ``data`` so that no reader ever sees a part of it."""
    with replacing(target) as temporary:
        temporary.write_bytes(data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data)
