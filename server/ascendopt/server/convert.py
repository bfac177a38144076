"""From findings to LSP: diagnostics, their severities and links, and the edits of fixes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path

from ascendopt.analysis.findings import Finding, Severity
from ascendopt.server.protocol import DIAGNOSTIC_SOURCE
from ascendopt.server.text import Positions

# Text of any file that a finding may point into: an open document's, else the disk's; None when there is none.
Texts = Callable[[Path], Positions | None]

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.PERF: types.DiagnosticSeverity.Information,
    Severity.INFO: types.DiagnosticSeverity.Hint,
}


def uri_of(path: Path) -> str:
    """`file:` URI of an absolute path."""
    uri = from_fs_path(str(path))
    assert uri is not None
    return uri


def finding_id(finding: Finding) -> str:
    """Identity of a finding within one version of one file: goes out with a diagnostic, comes back with its fix."""
    return f"{finding.rule}@{finding.span.start}:{finding.span.end}"


def to_diagnostic(
    finding: Finding, positions: Positions, version: int | None, texts: Texts, page: Callable[[str], str | None]
) -> types.Diagnostic:
    """The diagnostic of a finding in the file that `positions` belong to; `page` gives the address of a rule's page."""
    address = page(finding.rule)
    return types.Diagnostic(
        range=positions.to_range(finding.span),
        severity=_SEVERITIES[finding.severity],
        code=finding.rule,
        code_description=types.CodeDescription(address) if address is not None else None,
        source=DIAGNOSTIC_SOURCE,
        message=finding.message,
        related_information=_related(finding, texts),
        data={"id": finding_id(finding), "version": version},
    )


def _related(finding: Finding, texts: Texts) -> list[types.DiagnosticRelatedInformation] | None:
    found: list[types.DiagnosticRelatedInformation] = []
    for related in finding.related:
        positions = texts(related.path)
        if positions is not None:
            location = types.Location(uri_of(related.path), positions.to_range(related.span))
            found.append(types.DiagnosticRelatedInformation(location, related.message))
    return found or None
