"""Fixes and text: deletions take the whole statement, and what is applied together touches no byte twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from ascendopt.analysis.findings import Finding, Fix, Span, TextEdit

_END = re.compile(rb"[ \t]*;")
_REST_OF_LINE = re.compile(rb"[ \t]*\r?\n")


def whole_statements(findings: Iterable[Finding], texts: Mapping[Path, bytes]) -> list[Finding]:
    """The findings, with fixes that delete an expression deleting its statement: the semicolon, and the line if nothing
    else stands on it."""
    return [
        finding
        if finding.fix is None
        else replace(finding, fix=replace(finding.fix, edits=tuple(_whole(edit, texts) for edit in finding.fix.edits)))
        for finding in findings
    ]


def _whole(edit: TextEdit, texts: Mapping[Path, bytes]) -> TextEdit:
    data = texts.get(edit.path)
    if edit.new_text or data is None:
        return edit
    end = _END.match(data, edit.span.end)
    if end is None:
        return edit
    start, stop = edit.span.start, end.end()
    line = data.rfind(b"\n", 0, start) + 1
    rest = _REST_OF_LINE.match(data, stop)
    if rest is not None and not data[line:start].strip():
        start, stop = line, rest.end()
    return TextEdit(edit.path, Span(start, stop), "")


def chosen_fixes(findings: Iterable[Finding], *, unsafe: bool = False) -> list[Fix]:
    """The fixes that can be applied together, in the order of ``findings``."""
    taken: dict[Path, list[TextEdit]] = {}
    chosen: list[Fix] = []
    for finding in findings:
        fix = finding.fix
        if fix is None or not (fix.safe or unsafe):
            continue
        if any(_overlaps(edit, other) for edit in fix.edits for other in taken.get(edit.path, [])):
            continue
        for edit in fix.edits:
            taken.setdefault(edit.path, []).append(edit)
        chosen.append(fix)
    return chosen


def apply_fixes(fixes: Iterable[Fix], texts: Mapping[Path, bytes]) -> dict[Path, bytes]:
    """New bytes of every file that ``fixes`` change. The edits must not overlap (see ``chosen_fixes``)."""
    edits: dict[Path, list[TextEdit]] = {}
    for fix in fixes:
        for edit in fix.edits:
            edits.setdefault(edit.path, []).append(edit)
    changed: dict[Path, bytes] = {}
    for path, own in edits.items():
        data = texts[path]
        for edit in sorted(own, key=lambda one: one.span, reverse=True):
            data = data[: edit.span.start] + edit.new_text.encode() + data[edit.span.end :]
        changed[path] = data
    return changed


def _overlaps(left: TextEdit, right: TextEdit) -> bool:
    if left.path != right.path:
        return False
    if left.span == right.span:
        return True
    return left.span.start < right.span.end and right.span.start < left.span.end
