"""Fixes and text: deletions take the whole statement, and what is applied together touches no byte twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from ascendopt.analysis.findings import Finding, Fix, Span, TextEdit

_END = re.compile(rb"[ \t]*;")
_CONTROLS = re.compile(rb"(if|else|for|while|do|switch|case|default|return)\b|#")
_COMMENTS = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_REST_OF_LINE = re.compile(rb"[ \t]*\r?\n")


def whole_statements(findings: Iterable[Finding], texts: Mapping[Path, bytes]) -> list[Finding]:
    """The findings, with fixes that delete an expression deleting its statement: the semicolon, and the line if nothing
    else stands on it; and fixes that insert statements ``placed``."""
    return [
        finding
        if finding.fix is None
        else replace(finding, fix=replace(finding.fix, edits=tuple(_whole(edit, texts) for edit in finding.fix.edits)))
        for finding in placed(findings, texts)
    ]


def placed(findings: Iterable[Finding], texts: Mapping[Path, bytes]) -> list[Finding]:
    """The findings, with fixes that insert statements indented like the line they go to. A fix goes where one of its
    insertions is not at a statement of its own: there it would change what a condition or a loop holds."""
    return [
        finding if finding.fix is None else replace(finding, fix=_placed(finding.fix, texts)) for finding in findings
    ]


def _placed(fix: Fix, texts: Mapping[Path, bytes]) -> Fix | None:
    edits: list[TextEdit] = []
    for edit in fix.edits:
        data, text = texts.get(edit.path), edit.new_text
        inserts = edit.span.start == edit.span.end and (text.endswith("\n") or text.startswith(";\n"))
        if data is None or not inserts:
            edits.append(edit)
            continue
        start = max(data.rfind(mark, 0, edit.span.start) for mark in (b";", b"{", b"}")) + 1
        lead = _COMMENTS.sub(b"", data[start : edit.span.start]).strip()
        if (lead and text.endswith("\n")) or _CONTROLS.match(lead) or not _ends(data, edit):
            return None
        line = data.rfind(b"\n", 0, edit.span.start) + 1
        indent = data[line : edit.span.start][: len(data[line:]) - len(data[line:].lstrip(b" \t"))].decode()
        edits.append(replace(edit, new_text=text.replace("\n", f"\n{indent}")))
    return replace(fix, edits=tuple(edits))


def _ends(data: bytes, edit: TextEdit) -> bool:
    """True when the statement ends where something is put behind it."""
    return not edit.new_text.startswith(";") or _END.match(data, edit.span.end) is not None


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
