"""Findings as SARIF 2.1.0 for code hosts. Columns count UTF-16 code units, as the standard has it by default.

A finding that a comment silences has a suppression, and with a baseline each result says how it compares with it:
the standard wants both on all results of a run or on none (3.27.23, 3.27.24).
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from ascendopt.analysis.baseline import Entry, entry_of
from ascendopt.analysis.findings import Finding, Fix, Related, Severity, Span, TextEdit
from ascendopt.analysis.rules.pages import page, title
from ascendopt.analysis.rules.registry import rule
from ascendopt.cli.checker import Report
from ascendopt.cli.places import Places

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "SRCROOT"
FINGERPRINT = "ascendopt/rule-file-line/v1"
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.PERF: "note", Severity.INFO: "note"}
# Code of a rule -> the address of its page.
Pages = Callable[[str], str | None]


def write_sarif(report: Report, out: TextIO, version: str, address: Pages) -> None:
    """Write one run. ``version`` is that of this program."""
    json.dump(_Log(report, address).document(version), out, indent=1)
    out.write("\n")


class _Log:
    """One report on its way to SARIF; paths are relative to the folder that the command runs in."""

    def __init__(self, report: Report, address: Pages) -> None:
        self._report = report
        self._address = address
        self._places = Places(dict(report.texts), utf16=True)
        self._root = Path.cwd()
        self._codes = sorted(
            {one.rule for one in (*report.findings, *report.known)}
            | {one.finding.rule for one in report.suppressed}
            | {entry.rule for entry, _ in report.gone}
        )
        self._seen: Counter[Entry] = Counter()

    def document(self, version: str) -> dict[str, object]:
        """The whole log."""
        driver = {"name": "ascendopt", "semanticVersion": version, "rules": list(map(self._rule, self._codes))}
        run = {
            "tool": {"driver": driver},
            "columnKind": "utf16CodeUnits",
            "originalUriBaseIds": {ROOT: {"uri": f"{self._root.as_uri().rstrip('/')}/"}},
            "invocations": [{"executionSuccessful": True}],
            "results": list(self._results()),
        }
        return {"version": "2.1.0", "$schema": SCHEMA, "runs": [run]}

    def _rule(self, code: str) -> dict[str, object]:
        text = page(code)
        entry = rule(code)
        described: dict[str, object] = {
            "id": code,
            "name": entry.name,
            "shortDescription": {"text": title(code)},
            "help": {"text": text, "markdown": text},
            "defaultConfiguration": {"level": LEVELS[entry.severity]},
            "properties": {"severity": entry.severity.value},
        }
        address = self._address(code)
        return described if address is None else {**described, "helpUri": address}

    def _results(self) -> Iterator[dict[str, object]]:
        compared = self._report.baseline is not None
        new = {"baselineState": "new"} if compared else {}
        silent: dict[str, object] = {"suppressions": []} if self._report.suppressed else {}
        for finding in self._report.findings:
            yield {**self._result(finding), **new, **silent}
        for finding in self._report.known:
            yield {**self._result(finding), "baselineState": "unchanged", **silent}
        for one in self._report.suppressed:
            said: dict[str, object] = {"kind": "inSource", "status": "accepted"}
            if one.reason:
                said["justification"] = one.reason
            yield {**self._result(one.finding), **new, "suppressions": [said]}
        for entry, count in self._report.gone:
            for _ in range(count):
                yield {**self._absent(entry), "baselineState": "absent", **silent}

    def _result(self, finding: Finding) -> dict[str, object]:
        entry = entry_of(finding, self._report.texts, self._root)
        self._seen[entry] += 1
        identity = "\0".join((entry.rule, entry.file, entry.code, str(self._seen[entry])))
        result: dict[str, object] = {
            "ruleId": finding.rule,
            "ruleIndex": self._codes.index(finding.rule),
            "level": LEVELS[finding.severity],
            "message": {"text": finding.message},
            "locations": [{"physicalLocation": self._location(finding.path, finding.span)}],
            "partialFingerprints": {FINGERPRINT: hashlib.sha256(identity.encode()).hexdigest()},
            "properties": {"severity": finding.severity.value, "facts": dict(finding.facts)},
        }
        if finding.related:
            result["relatedLocations"] = [
                self._related(index, one) for index, one in enumerate(finding.related, start=1)
            ]
        if finding.fix is not None:
            result["fixes"] = [self._fix(finding.fix)]
        return result

    def _absent(self, entry: Entry) -> dict[str, object]:
        assert self._report.baseline is not None
        path = (self._report.baseline.parent / entry.file).resolve()
        return {
            "ruleId": entry.rule,
            "ruleIndex": self._codes.index(entry.rule),
            "level": LEVELS[rule(entry.rule).severity],
            "message": {"text": f"does not occur any more: {entry.code}"},
            "locations": [{"physicalLocation": {"artifactLocation": self._artifact(path)}}],
        }

    def _related(self, index: int, related: Related) -> dict[str, object]:
        location = self._location(related.path, related.span)
        return {"id": index, "message": {"text": related.message}, "physicalLocation": location}

    def _fix(self, fix: Fix) -> dict[str, object]:
        files = {edit.path: [one for one in fix.edits if one.path == edit.path] for edit in fix.edits}
        changes = [
            {"artifactLocation": self._artifact(path), "replacements": list(map(self._replacement, edits))}
            for path, edits in files.items()
        ]
        return {"description": {"text": fix.title}, "artifactChanges": changes}

    def _replacement(self, edit: TextEdit) -> dict[str, object]:
        replaced: dict[str, object] = {"deletedRegion": self._region(edit.path, edit.span)}
        return {**replaced, "insertedContent": {"text": edit.new_text}} if edit.new_text else replaced

    def _location(self, path: Path, span: Span) -> dict[str, object]:
        return {"artifactLocation": self._artifact(path), "region": self._region(path, span)}

    def _region(self, path: Path, span: Span) -> dict[str, int]:
        region = self._places.region(path, span)
        return {
            "startLine": region.line,
            "startColumn": region.column,
            "endLine": region.end_line,
            "endColumn": region.end_column,
        }

    def _artifact(self, path: Path) -> dict[str, str]:
        full = path.resolve()
        uri = full.as_uri()
        if not full.is_relative_to(self._root):
            return {"uri": uri}
        return {"uri": uri.removeprefix(f"{self._root.as_uri().rstrip('/')}/"), "uriBaseId": ROOT}
