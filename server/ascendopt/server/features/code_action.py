"""Quick-fixes and rewrites: offered at a place, computed and checked against the version when resolved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from lsprotocol import types

from ascendopt.analysis.findings import Finding, Fix
from ascendopt.server.client_abilities import covers, supports_document_changes
from ascendopt.server.convert import finding_id, to_diagnostic
from ascendopt.server.documents import Document
from ascendopt.server.edits import Change, FileChange, workspace_edit
from ascendopt.server.engine import Report
from ascendopt.server.features.rewrites import KIND, PREFIX, resolved_rewrite, rewrite_actions
from ascendopt.server.language_server import AscendServer
from ascendopt.server.refusals import ContentModified
from ascendopt.server.session import Session


def register(server: AscendServer) -> None:
    """Register the handlers."""
    options = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, KIND], resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    async def code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        report = await server.session.report(params.text_document.uri)
        document = server.session.documents.get(params.text_document.uri)
        if report is None or document is None:
            return []
        fixes = code_actions(server.session, document, report, params)
        return [*fixes, *await rewrite_actions(server, document, params)]

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        data = action.data
        if not isinstance(data, Mapping):
            return action
        identity = cast("Mapping[str, Any]", data)
        if "offer" in identity:
            return resolved_rewrite(server.session, action, identity)
        report = await server.session.report(str(identity.get("uri")))
        return resolved(server.session, action, identity, report)


def code_actions(
    session: Session, document: Document, report: Report, params: types.CodeActionParams
) -> list[types.CodeAction]:
    """The fixes of the findings that touch the requested range."""
    only = params.context.only
    if only is not None and not any(covers(kind, types.CodeActionKind.QuickFix) for kind in only):
        return []
    span = document.positions.to_span(params.range)
    actions: list[types.CodeAction] = []
    for finding in _fixable(report, document):
        if finding.span.start <= span.end and span.start <= finding.span.end:
            actions.append(_action(session, document, finding))
    return actions


def resolved(
    session: Session, action: types.CodeAction, identity: Mapping[str, Any], report: Report | None
) -> types.CodeAction:
    """`action` with its edit. Raises ContentModified when the document is not the version that it was offered for.

    VS Code drops the version of an edit inside a code action, so nobody else would notice.
    """
    document = session.documents.get(str(identity.get("uri")))
    if document is None or report is None or document.version != identity.get("version"):
        raise ContentModified
    finding = next((f for f in _fixable(report, document) if finding_id(f) == identity.get("id")), None)
    if finding is None or finding.fix is None:
        raise ContentModified
    action.edit = fix_edit(session, finding.fix)
    return action


def fix_edit(session: Session, fix: Fix) -> types.WorkspaceEdit:
    """The edit of a fix; it may touch host and kernel together."""
    changes: dict[Path, list[Change]] = {}
    for edit in fix.edits:
        changes.setdefault(edit.path, []).append(Change(edit.span, edit.new_text))
    files: list[FileChange] = []
    for path, edits in changes.items():
        positions = session.text_of(path)
        if positions is None:
            raise ContentModified
        uri, version, _ = session.current_file(path)
        files.append(FileChange(uri, version, positions, tuple(edits)))
    return workspace_edit(files, versioned=supports_document_changes(session))


def _fixable(report: Report, document: Document) -> Iterable[Finding]:
    return (finding for finding in report.findings if finding.fix is not None and finding.path == document.path)


def _action(session: Session, document: Document, finding: Finding) -> types.CodeAction:
    assert finding.fix is not None
    diagnostic = to_diagnostic(finding, document.positions, document.version, session.text_of, session.engine.rule_page)
    return types.CodeAction(
        title=PREFIX + finding.fix.title.removeprefix(PREFIX),
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        is_preferred=finding.fix.safe,
        data={"uri": document.uri, "version": document.version, "id": finding_id(finding)},
    )
