"""Apply fixes to text: whole fixes only, first come first served, never two that touch the same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ascendopt.analysis.findings import Finding, Fix, TextEdit


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
