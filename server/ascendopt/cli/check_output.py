"""Findings as text for people, JSON for programs (DESIGN: a contract) and SARIF 2.1.0 for code hosts."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TextIO

from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.registry import page, rule
from ascendopt.cli.checker import Report

_SARIF_LEVELS = {"error": "error", "warning": "warning", "perf": "note", "info": "note"}
_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


class Places:
    """1-based line and column of byte offsets; columns count Unicode characters."""

    def __init__(self, texts: dict[Path, bytes]) -> None:
        self._texts = texts

    def of(self, path: Path, offset: int) -> tuple[int, int]:
        """Line and column of ``offset`` in ``path``."""
        data = self._texts.get(path, b"")
        start = data.rfind(b"\n", 0, offset) + 1
        return data.count(b"\n", 0, offset) + 1, len(data[start:offset].decode("utf-8", "replace")) + 1


def write_text(report: Report, out: TextIO) -> None:
    """One line a finding, then one line of summary."""
    places = Places(report.texts)
    for finding in report.findings:
        line, column = places.of(finding.path, finding.span.start)
        fixable = " [*]" if finding.fix is not None and finding.fix.safe else ""
        name = _shown(finding.path)
        out.write(f"{name}:{line}:{column}: {finding.severity.value} {finding.rule}{fixable} {finding.message}\n")
    counts = ", ".join(f"{report.count(level)} {level.value}" for level in Severity)
    out.write(f"{counts} in {len(report.files)} files of {report.operators} operators, for {report.soc}\n")
    fixes = sum(finding.fix is not None and finding.fix.safe for finding in report.findings)
    if fixes:
        out.write(f"[*] {fixes} can be fixed with --fix\n")


def write_json(report: Report, out: TextIO) -> None:
    """The JSON of DESIGN section 9; positions are 1-based."""
    places = Places(report.texts)
    document = {
        "soc": report.soc,
        "files": len(report.files),
        "findings": [_finding(finding, places) for finding in report.findings],
        "summary": {level.value: report.count(level) for level in Severity},
    }
    json.dump(document, out, indent=1)
    out.write("\n")


def _finding(finding: Finding, places: Places) -> dict[str, object]:
    line, column = places.of(finding.path, finding.span.start)
    end_line, end_column = places.of(finding.path, finding.span.end)
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "file": _shown(finding.path),
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "message": finding.message,
        "facts": dict(finding.facts),
        "fix": None if finding.fix is None else {"title": finding.fix.title, "safe": finding.fix.safe},
    }


def write_sarif(report: Report, out: TextIO) -> None:
    """SARIF 2.1.0, with each rule's page as its help."""
    places = Places(report.texts)
    used = sorted({finding.rule for finding in report.findings})
    run = {
        "tool": {"driver": {"name": "ascendopt", "rules": [_sarif_rule(code) for code in used]}},
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(finding, places) for finding in report.findings],
    }
    json.dump({"version": "2.1.0", "$schema": _SARIF_SCHEMA, "runs": [run]}, out, indent=1)
    out.write("\n")


def _sarif_rule(code: str) -> dict[str, object]:
    return {"id": code, "name": rule(code).name, "help": {"text": page(code), "markdown": page(code)}}


def _sarif_result(finding: Finding, places: Places) -> dict[str, object]:
    line, column = places.of(finding.path, finding.span.start)
    end_line, end_column = places.of(finding.path, finding.span.end)
    region = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
    location = {"artifactLocation": {"uri": Path(_shown(finding.path)).as_posix()}, "region": region}
    return {
        "ruleId": finding.rule,
        "level": _SARIF_LEVELS[finding.severity.value],
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": location}],
    }


def _shown(path: Path) -> str:
    """Relative to the current folder when below it."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative
