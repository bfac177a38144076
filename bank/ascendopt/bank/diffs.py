"""Unified diffs: the lines that leave and the lines that come."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HUNK = re.compile(r"^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


@dataclass(frozen=True)
class DiffLines:
    """Text of the lines without their sign, in order of appearance over all files of the diff."""

    removed: tuple[str, ...]
    added: tuple[str, ...]


def diff_lines(diff: str) -> DiffLines:
    """Read a unified diff. Hunk headers say how many lines follow, so that a removed ``--i;`` is no file header.

    A text without any hunk header gives its signed lines, file headers (``--- a``, ``+++ b``) left out.
    """
    removed: list[str] = []
    added: list[str] = []
    old = new = 0
    has_hunks = any(_HUNK.match(line) for line in diff.splitlines())
    for line in diff.splitlines():
        header = _HUNK.match(line)
        if header is not None:
            old, new = (int(count) if count is not None else 1 for count in header.groups())
        elif has_hunks and old <= 0 and new <= 0:
            continue
        elif line.startswith("-") and (has_hunks or not line.startswith("--- ")):
            removed.append(line[1:])
            old -= 1
        elif line.startswith("+") and (has_hunks or not line.startswith("+++ ")):
            added.append(line[1:])
            new -= 1
        elif not line.startswith("\\"):
            old -= 1
            new -= 1
    return DiffLines(tuple(removed), tuple(added))
