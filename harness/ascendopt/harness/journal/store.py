"""Artifacts by content: files named by the SHA-256 of what they hold."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


class ArtifactStore:
    """A folder of texts named by their hash. Writing the same text twice is one file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def remove_partial(self) -> None:
        """Remove what a killed writer left. Nobody else may be writing."""
        for partial in self._folder.glob(".*"):
            partial.unlink(missing_ok=True)

    def put(self, text: str) -> str:
        """Store ``text`` (surrogate escapes allowed), durable when this returns; the hash is its name."""
        data = text.encode("utf-8", "surrogateescape")
        name = hashlib.sha256(data).hexdigest()
        target = self._folder / name
        if not target.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            partial = self._folder / f".{name}.{os.getpid()}"
            with partial.open("wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            partial.replace(target)
        return name

    def get(self, name: str) -> str:
        """The text of an artifact. Raises OSError when it is missing, ValueError when it was changed."""
        data = (self._folder / name).read_bytes()
        if hashlib.sha256(data).hexdigest() != name:
            raise ValueError(f"artifact {name} does not hold what its name says")
        return data.decode("utf-8", "surrogateescape")
