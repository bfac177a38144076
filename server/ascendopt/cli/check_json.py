"""Findings as JSON for programs (DESIGN: a contract). Positions are 1-based; columns count Unicode characters."""

from __future__ import annotations

import json
from typing import TextIO

from ascendopt.analysis.findings import Finding, Fix, Related, Severity, TextEdit
from ascendopt.cli.checker import Report
from ascendopt.cli.places import Places, Region, shown


def write_json(report: Report, out: TextIO) -> None:
    """The JSON of docs/check.md. With a baseline, ``findings`` and ``summary`` are what it does not know."""
    places = Places(dict(report.texts))
    document: dict[str, object] = {
        "soc": report.soc,
        "files": len(report.files),
        "findings": [_finding(finding, places) for finding in report.findings],
        "summary": {level.value: report.count(level) for level in Severity},
        "suppressed": [{**_finding(one.finding, places), "reason": one.reason} for one in report.suppressed],
    }
    if report.baseline is not None:
        document["baseline"] = {
            "file": shown(report.baseline),
            "known": len(report.known),
            "gone": [
                {"rule": entry.rule, "file": entry.file, "code": entry.code, "count": count}
                for entry, count in report.gone
            ],
        }
    json.dump(document, out, indent=1)
    out.write("\n")


def _finding(finding: Finding, places: Places) -> dict[str, object]:
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "file": shown(finding.path),
        **_position(places.region(finding.path, finding.span)),
        "message": finding.message,
        "case": finding.case,
        "facts": dict(finding.facts),
        "related": [_related(one, places) for one in finding.related],
        "fix": None if finding.fix is None else _fix(finding.fix, places),
    }


def _related(related: Related, places: Places) -> dict[str, object]:
    region = places.region(related.path, related.span)
    return {"file": shown(related.path), **_position(region), "message": related.message}


def _fix(fix: Fix, places: Places) -> dict[str, object]:
    return {"title": fix.title, "safe": fix.safe, "edits": [_edit(edit, places) for edit in fix.edits]}


def _edit(edit: TextEdit, places: Places) -> dict[str, object]:
    region = places.region(edit.path, edit.span)
    return {"file": shown(edit.path), **_position(region), "new_text": edit.new_text}


def _position(region: Region) -> dict[str, int]:
    return {
        "line": region.line,
        "column": region.column,
        "end_line": region.end_line,
        "end_column": region.end_column,
    }
