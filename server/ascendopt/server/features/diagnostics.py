"""Publishing diagnostics: pushed, with the version that they hold for."""

from __future__ import annotations

from lsprotocol import types

from ascendopt.server.convert import to_diagnostic
from ascendopt.server.documents import Document
from ascendopt.server.engine import Report
from ascendopt.server.language_server import AscendServer
from ascendopt.server.session import Session


def register(server: AscendServer) -> None:
    """Let the session publish through this server."""

    def publish(document: Document, report: Report | None) -> None:
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(
                uri=document.uri,
                version=document.version,
                diagnostics=diagnostics_of(server.session, document, report),
            )
        )

    server.session.publish = publish


def diagnostics_of(session: Session, document: Document, report: Report | None) -> list[types.Diagnostic]:
    """The diagnostics of one document, in order of place."""
    if report is None:
        return []
    found = [finding for finding in report.findings if finding.path == document.path]
    found.sort(key=lambda finding: (finding.span, finding.rule))
    return [
        to_diagnostic(finding, document.positions, document.version, session.text_of, session.engine.rule_page)
        for finding in found
    ]


def clear(server: AscendServer, document: Document) -> None:
    """Take back what was published for a document that is closed."""
    server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=document.uri, diagnostics=[]))
