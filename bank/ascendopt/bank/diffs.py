"""Unified diffs: the lines that leave, the lines that come, and those around them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HUNK = re.compile(r"^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


@dataclass(frozen=True)
class DiffLine:
    """``sign`` is ``-``, ``+`` or a blank; ``hunk`` counts from 0 over all files of the diff."""

    sign: str
    text: str
    hunk: int


@dataclass(frozen=True)
class DiffLines:
    """The lines of a diff in order, headers left out."""

    lines: tuple[DiffLine, ...]

    @property
    def removed(self) -> tuple[str, ...]:
        """Text of the removed lines, without their sign."""
        return self._of("-")

    @property
    def added(self) -> tuple[str, ...]:
        """Text of the added lines, without their sign."""
        return self._of("+")

    @property
    def context(self) -> tuple[str, ...]:
        """Text of the lines that both sides have."""
        return self._of(" ")

    def _of(self, sign: str) -> tuple[str, ...]:
        return tuple(line.text for line in self.lines if line.sign == sign)


def diff_lines(diff: str) -> DiffLines:
    """Read a unified diff. Hunk headers say how many lines follow, so that a removed ``--i;`` is no file header.

    In a text without any hunk header, lines with a sign count and file headers (``--- a``, ``+++ b``) do not.
    """
    texts = diff.splitlines()
    if not any(_HUNK.match(line) for line in texts):
        signed = [line for line in texts if line[:1] in ("-", "+") and line[:4] not in ("--- ", "+++ ")]
        return DiffLines(tuple(DiffLine(line[0], line[1:], 0) for line in signed))
    lines: list[DiffLine] = []
    old = new = 0
    hunk = -1
    for line in texts:
        header = _HUNK.match(line)
        if header is not None:
            old, new = (1 if count is None else int(count) for count in header.groups())
            hunk += 1
        elif old > 0 or new > 0:
            sign = line[:1] if line[:1] in ("-", "+", "\\") else " "
            old -= sign in "- "
            new -= sign in "+ "
            if sign != "\\":
                lines.append(DiffLine(sign, line[1:], hunk))
    return DiffLines(tuple(lines))
