"""Comments that silence a finding: ``// ascendopt: ignore[ASC-MEM001] reason`` on its line or the line above."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ascendopt.analysis.findings import Finding

_COMMENT = re.compile(rb"//\s*ascendopt:\s*ignore\[([A-Z0-9, -]+)\]")


def suppressed_lines(text: bytes) -> dict[int, frozenset[str]]:
    """Codes that are silenced, per line (0-based). A comment on a line of its own speaks for the next line."""
    table: dict[int, frozenset[str]] = {}
    if b"ascendopt:" not in text:
        return table
    for index, line in enumerate(text.split(b"\n")):
        found = _COMMENT.search(line)
        if found is None:
            continue
        codes = frozenset(code.strip() for code in found.group(1).decode().split(","))
        target = index + 1 if not line[: found.start()].strip() else index
        table[target] = table.get(target, frozenset()) | codes
    return table


def keep(findings: Iterable[Finding], text_of: dict[str, bytes]) -> list[Finding]:
    """The findings that no comment silences. ``text_of`` maps a path to its bytes."""
    tables = {path: suppressed_lines(text) for path, text in text_of.items()}
    kept: list[Finding] = []
    for finding in findings:
        text = text_of.get(str(finding.path))
        if text is None:
            kept.append(finding)
            continue
        line = text.count(b"\n", 0, finding.span.start)
        if finding.rule not in tables[str(finding.path)].get(line, frozenset()):
            kept.append(finding)
    return kept
