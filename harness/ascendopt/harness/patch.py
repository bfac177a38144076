"""Unified diffs that ``git apply`` and ``patch -p1`` take, relative to the operator's folder."""

from __future__ import annotations

import difflib
from collections.abc import Mapping


def make_patch(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """The patch that turns ``before`` into ``after``; empty when they are equal.

    Both map POSIX paths to whole texts; a path that only ``after`` has is a new file. Lines end at ``\\n``
    alone: form feeds and carriage returns are text, as they are for git.
    """
    parts: list[str] = []
    for path in sorted(after):
        old, new = before.get(path), after[path]
        if old == new:
            continue
        parts.append(_file_patch(path, old, new))
    return "".join(parts)


def _file_patch(path: str, old: str | None, new: str) -> str:
    source = "/dev/null" if old is None else f"a/{path}"
    head = f"diff --git a/{path} b/{path}\n" + ("new file mode 100644\n" if old is None else "")
    lines = difflib.unified_diff(_lines(old or ""), _lines(new), source, f"b/{path}")
    body = "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
    return head + body


def _lines(text: str) -> list[str]:
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop()
    return [*lines, last[:-1]] if last != "\n" else lines
