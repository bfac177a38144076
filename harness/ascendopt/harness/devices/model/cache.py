"""The user cache: content-addressed files, safe when several processes fill it at once."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import tempfile
from collections.abc import Generator, Iterable
from pathlib import Path

from ascendopt.harness.private_folders import PrivateFolder


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
    """Where a tool is to make ``target``: what it made there takes the place when the block ends without an exception.

    Readers see the old file or the whole new one, never a part. The path lies in a folder of its own, which is also the
    place for the tool's temporary files: what is left of one that was killed goes with the next build beside it.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with PrivateFolder(target.parent, ".build-") as folder:
        made = folder / target.name
        yield made
        if made.exists():
            made.replace(target)


def write_atomically(target: Path, data: str | bytes) -> None:
    """Write ``data`` so that no reader ever sees a part of it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
