"""A candidate: an atomic set of edits over one operator, host and kernel together."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class HostTemplate:
    """Host code that many candidates share: their files with slots in place of numbers, and this one's numbers.

    ``files`` maps the paths of host files to texts with ``ASCENDOPT_SLOT(type, index)``; ``values`` are the numbers by
    index. A device that can set them when it loads the host code need not compile it for each candidate; the program
    that it stands for is ``Candidate.files`` all the same.
    """

    files: Mapping[str, str]
    values: tuple[int, ...]


@dataclass(frozen=True)
class Candidate:
    """New texts for some of the operator's files.

    ``files`` maps a path relative to the operator's folder (POSIX separators) to the whole new text of that
    file; files that are not named stay as they are. ``origin`` says who proposed it (``tiling-search``,
    ``structural:buffer-depth``, ``llm``) and ``note`` what it does, in one line. ``genes`` are the values
    of the tunables behind it, when it came from a tiling search; ``template`` is then its host code with slots.
    """

    files: Mapping[str, str]
    origin: str
    note: str = ""
    genes: Mapping[str, int | float | str] = field(default_factory=dict[str, int | float | str])
    template: HostTemplate | None = field(default=None, compare=False, repr=False)

    @property
    def key(self) -> str:
        """SHA-256 over paths and texts: two candidates with the same key are the same program."""
        return texts_key(self.files)


def texts_key(files: Mapping[str, str]) -> str:
    """SHA-256 over paths and texts."""
    digest = hashlib.sha256()
    for path in sorted(files):
        # surrogateescape: texts hold files of any encoding, byte for byte
        text = files[path].encode("utf-8", "surrogateescape")
        digest.update(path.encode() + b"\0" + text + b"\0")
    return digest.hexdigest()
