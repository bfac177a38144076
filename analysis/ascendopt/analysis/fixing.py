"""Fixes and text: what is meant becomes bytes, and what is applied together touches no byte twice.

Rules know facts and no text. So the places of their edits are made exact here: a deletion takes its whole statement, an
insertion the indentation of its line, a ``within`` the place that it matches. A fix goes where that does not come out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from ascendopt.analysis.findings import Finding, Fix, Span, TextEdit

_END = re.compile(rb"[ \t]*;")
_CONTROLS = re.compile(rb"(if|else|for|while|do|switch|case|default|return)\b|#")
# What a statement may depend on and yet be left empty.
_GUARDS = re.compile(
    rb"((else|do)|(else\s+)?(if|for|while)\b.*\)|(case\b.*|default|public|private|protected)\s*:)", re.DOTALL
)
_COMMENTS = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_BLANKS = re.compile(rb"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_DIRECTIVES = re.compile(rb"^[ \t]*#[^\n]*$", re.MULTILINE)
# Around a name or a number that comes from the source.
_PARENTHESES = re.compile(rb"(?<![\w>])\((\w+)\)(?= [*/+])")
_REST_OF_LINE = re.compile(rb"[ \t]*\r?\n")
_STATEMENT = re.compile(rb"[^;{}]*")


def whole_statements(findings: Iterable[Finding], texts: Mapping[Path, bytes]) -> list[Finding]:
    """The findings, with the edits of their fixes made exact in ``texts``; a fix that cannot be is left out, as
    is one in a file without text."""
    return [
        finding if finding.fix is None else replace(finding, fix=_exact(finding.fix, texts)) for finding in findings
    ]


def _exact(fix: Fix, texts: Mapping[Path, bytes]) -> Fix | None:
    edits: list[TextEdit] = []
    for edit in fix.edits:
        data = texts.get(edit.path)
        done = _exact_edit(edit, data) if data is not None else None
        if done is None:
            return None
        edits.append(done)
    known = tuple(dict.fromkeys(edits))  # two patterns may match one place
    return None if any(_overlaps(a, b) for a, b in combinations(known, 2)) else replace(fix, edits=known)


def _exact_edit(edit: TextEdit, data: bytes) -> TextEdit | None:
    if edit.within:
        return _matched(edit, data)
    if not edit.new_text:
        return _whole(edit, data)
    inserts = edit.span.start == edit.span.end and (edit.new_text.endswith("\n") or edit.new_text.startswith(";\n"))
    return _placed(edit, data) if inserts else edit


def _matched(edit: TextEdit, data: bytes) -> TextEdit | None:
    """The edit at what ``within`` matches in the statement around its span; None unless it matches once."""
    start = _start(data, edit.span.start)
    rest = _STATEMENT.match(data, edit.span.end)
    stop = rest.end() if rest is not None else edit.span.end
    found = [match for match in re.finditer(edit.within.encode(), data[start:stop]) if match[1] is not None]
    if len(found) != 1:
        return None
    left, right = (start + at for at in found[0].span(1))
    text = edit.new_text.encode()
    if b"\\" in text:
        text = _PARENTHESES.sub(rb"\1", found[0].expand(text))
    done = TextEdit(edit.path, Span(left, right), text.decode())
    return done if text else _whole(done, data)


def _placed(edit: TextEdit, data: bytes) -> TextEdit | None:
    """A statement that is inserted, indented like the line it goes to. None where that is not at a statement of its
    own: there it would change what a condition or a loop holds."""
    text, at = edit.new_text, edit.span.start
    lead = _lead(data, at)
    if _CONTROLS.match(lead) or not _ends(data, edit) or _in_parentheses(data, _start(data, at)):
        return None
    if lead and text.endswith("\n"):
        if b"=" not in lead:
            return None  # perhaps a macro that holds the statement
        at = _after_blanks(data, _start(data, at))  # before the whole assignment
    line = data.rfind(b"\n", 0, at) + 1
    indent = data[line:at][: len(data[line:]) - len(data[line:].lstrip(b" \t"))].decode()
    span = Span(at, at) if text.endswith("\n") else edit.span
    return replace(edit, span=span, new_text=text.replace("\n", f"\n{indent}"))


def _after_blanks(data: bytes, at: int) -> int:
    blanks = _BLANKS.match(data, at)
    return blanks.end() if blanks is not None else at


def _in_parentheses(data: bytes, at: int) -> bool:
    """True in the head of a ``for``, whose semicolons end no statement."""
    text = _COMMENTS.sub(b"", data[max(data.rfind(b"{", 0, at), data.rfind(b"}", 0, at)) + 1 : at])
    return text.count(b"(") > text.count(b")")


def _start(data: bytes, at: int) -> int:
    """Where the statement around ``at`` starts."""
    return max(data.rfind(mark, 0, at) for mark in (b";", b"{", b"}")) + 1


def _lead(data: bytes, at: int) -> bytes:
    """What stands before ``at`` in its statement."""
    return _COMMENTS.sub(b"", data[_start(data, at) : at]).strip()


def _ends(data: bytes, edit: TextEdit) -> bool:
    """True when the statement ends where something is put behind it."""
    return not edit.new_text.startswith(";") or _END.match(data, edit.span.end) is not None


def _whole(edit: TextEdit, data: bytes) -> TextEdit | None:
    """A deletion with its semicolon, and with the line if nothing else stands on it. The semicolon stays where a
    condition or a loop needs a statement; None where what is deleted is no statement."""
    end = _END.match(data, edit.span.end)
    lead = _DIRECTIVES.sub(b"", _lead(data, edit.span.start)).strip()
    if end is None or (lead and not _GUARDS.fullmatch(lead)):
        return None
    if lead and not lead.endswith(b":"):
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
