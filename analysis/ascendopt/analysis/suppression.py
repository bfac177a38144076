"""Comments that silence a finding: ``// ascendopt: ignore[ASC-MEM001] reason`` on its line or the line above.

A comment without a reason, and one that silences nothing, is a finding itself (ASC-SUP001, ASC-SUP002).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from ascendopt.analysis.findings import Finding, Span
from ascendopt.analysis.rules import sup001, sup002

_COMMENT = re.compile(rb"//\s*ascendopt:\s*ignore\[([A-Za-z0-9, -]+)\]([^\r\n]*)")


@dataclass(frozen=True)
class Suppression:
    """One comment. ``line`` is the line that it speaks for (0-based), ``codes`` are product codes with their places."""

    path: Path
    span: Span
    line: int
    codes: tuple[tuple[str, Span], ...]
    reason: str


@dataclass(frozen=True)
class Suppressed:
    """A finding that a comment silences, and the reason that it gives (perhaps none)."""

    finding: Finding
    reason: str


@dataclass(frozen=True)
class Judged:
    """``kept`` are the findings to show, with those about comments; ``suppressed`` are the others."""

    kept: list[Finding]
    suppressed: list[Suppressed]


def suppressions(path: Path, text: bytes) -> Iterator[Suppression]:
    """The comments of one file. A comment on a line of its own speaks for the next line."""
    if b"ascendopt:" not in text:
        return
    for found in _COMMENT.finditer(text):
        start = text.rfind(b"\n", 0, found.start()) + 1
        line = text.count(b"\n", 0, found.start())
        own = not text[start : found.start()].strip()
        reason = found.group(2).decode("utf-8", "replace").strip(" \t:-")
        span = Span(found.start(), found.start() + len(found.group().rstrip()))
        yield Suppression(path, span, line + own, tuple(_codes(found)), reason)


def _codes(found: re.Match[bytes]) -> Iterator[tuple[str, Span]]:
    for word in re.finditer(rb"[^,\s]+", found.group(1)):
        code = word.group().decode().upper()
        start = found.start(1) + word.start()
        yield code if code.startswith("ASC-") else f"ASC-{code}", Span(start, start + len(word.group()))


def judge(findings: Iterable[Finding], texts: Mapping[Path, bytes], ran: Mapping[Path, Set[str]]) -> Judged:
    """Apply the comments in ``texts`` to ``findings``. ``ran`` says per file which rules looked at it: only of those
    can a comment be said to silence nothing."""
    comments = [one for path, text in texts.items() for one in suppressions(path, text)]
    table = {(one.path, one.line, code): one for one in comments for code, _ in one.codes}
    used: set[tuple[Path, int, str]] = set()
    judged = Judged([], [])
    for finding in findings:
        text = texts.get(finding.path) if table else None
        key = (finding.path, text.count(b"\n", 0, finding.span.start) if text is not None else -1, finding.rule)
        comment = table.get(key)
        if comment is None:
            judged.kept.append(finding)
        else:
            used.add(key)
            judged.suppressed.append(Suppressed(finding, comment.reason))
    for comment in comments:
        judged.kept.extend(_about(comment, used, ran.get(comment.path, frozenset())))
    return judged


def _about(comment: Suppression, used: set[tuple[Path, int, str]], ran: Set[str]) -> Iterator[Finding]:
    if not comment.reason and sup001.RULE.code in ran:
        yield sup001.finding(comment.path, comment.span, [code for code, _ in comment.codes])
    if sup002.RULE.code not in ran:
        return
    for code, span in comment.codes:
        if (comment.path, comment.line, code) not in used:
            found = sup002.finding(comment.path, span, code, ran)
            if found is not None:
                yield found
