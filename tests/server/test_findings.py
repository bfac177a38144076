"""Diagnostics and quick-fixes as pure functions over a document."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from lsprotocol import types
from server.conftest import KERNEL, Opener

from ascendopt.analysis.findings import Finding, Fix, Severity, Span, TextEdit
from ascendopt.server.convert import to_diagnostic
from ascendopt.server.documents import Document
from ascendopt.server.engine import Report
from ascendopt.server.features.code_action import code_actions, resolved
from ascendopt.server.features.diagnostics import diagnostics_of
from ascendopt.server.refusals import ContentModified
from ascendopt.server.session import Session
from ascendopt.server.text import Positions


def request_at(document: Document, line: int, only: list[str] | None = None) -> types.CodeActionParams:
    place = types.Position(line, 12)
    context = types.CodeActionContext([], only=only)
    return types.CodeActionParams(types.TextDocumentIdentifier(document.uri), types.Range(place, place), context)


def second_free() -> int:
    lines = KERNEL.split("\n")
    return [i for i, line in enumerate(lines) if "FreeTensor" in line][1]


@pytest.fixture
def faulty(opened: Opener) -> tuple[Document, Report]:
    return opened("doubler.asc", KERNEL)


def test_double_free_is_an_error_with_a_page(session: Session, faulty: tuple[Document, Report]) -> None:
    found = [d for d in diagnostics_of(session, *faulty) if d.code == "ASC-QUE001"]
    assert len(found) == 1
    assert found[0].severity == types.DiagnosticSeverity.Error
    assert found[0].source == "ascendopt"
    assert found[0].range.start.line == second_free()
    assert found[0].code_description is not None
    page = Path(found[0].code_description.href.removeprefix("file://"))
    assert page.read_text().startswith("# ASC-QUE001")


def test_the_fix_removes_exactly_the_second_free(session: Session, faulty: tuple[Document, Report]) -> None:
    document, report = faulty
    actions = code_actions(session, document, report, request_at(document, second_free()))
    assert [action.title.startswith("AscendC: ") for action in actions] == [True]
    assert actions[0].edit is None, "the edit is computed when it is asked for"
    assert isinstance(actions[0].data, dict)
    action = resolved(session, actions[0], actions[0].data, report)
    assert action.edit is not None and action.edit.changes is not None
    edits = [
        types.TextDocumentContentChangePartial(edit.range, edit.new_text) for edit in action.edit.changes[document.uri]
    ]
    changed = session.documents.change(document.uri, 2, edits)
    assert changed is not None
    assert changed.source.data.decode().count("FreeTensor") == 1


def test_a_fix_for_an_older_version_is_refused(session: Session, faulty: tuple[Document, Report]) -> None:
    document, report = faulty
    action = code_actions(session, document, report, request_at(document, second_free()))[0]
    insert = types.TextDocumentContentChangePartial(types.Range(types.Position(0, 0), types.Position(0, 0)), "\n")
    session.documents.change(document.uri, 2, [insert])
    assert isinstance(action.data, dict)
    with pytest.raises(ContentModified) as error:
        resolved(session, action, action.data, report)
    assert error.value.code == types.LSPErrorCodes.ContentModified


def test_only_quick_fixes_are_offered(session: Session, faulty: tuple[Document, Report]) -> None:
    document, report = faulty
    at = second_free()
    assert code_actions(session, document, report, request_at(document, at, ["refactor"])) == []
    assert len(code_actions(session, document, report, request_at(document, at, ["quickfix"]))) == 1
    assert code_actions(session, document, report, request_at(document, 0)) == []


def test_edits_carry_the_version_where_the_client_takes_it(session: Session, faulty: tuple[Document, Report]) -> None:
    document, report = faulty
    session.capabilities = types.ClientCapabilities(
        workspace=types.WorkspaceClientCapabilities(
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True)
        )
    )
    action = code_actions(session, document, report, request_at(document, second_free()))[0]
    assert isinstance(action.data, dict)
    edit = resolved(session, action, action.data, report).edit
    assert edit is not None and edit.document_changes is not None
    change = edit.document_changes[0]
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.version == 1


@pytest.mark.parametrize(
    ("severity", "level"),
    [
        (Severity.ERROR, types.DiagnosticSeverity.Error),
        (Severity.WARNING, types.DiagnosticSeverity.Warning),
        (Severity.PERF, types.DiagnosticSeverity.Information),
        (Severity.INFO, types.DiagnosticSeverity.Hint),
    ],
)
def test_levels(severity: Severity, level: types.DiagnosticSeverity) -> None:
    path = Path("/w/a.cpp")
    finding = Finding("ASC-X", severity, path, Span(4, 8), "text", fix=Fix("t", (TextEdit(path, Span(0, 0), ""),)))
    # Four bytes of emoji are two UTF-16 units.
    positions = Positions.of("\U0001f600abcd\n".encode())
    diagnostic = to_diagnostic(finding, positions, 3, lambda _path: None, lambda _code: None)
    assert diagnostic.severity == level
    assert diagnostic.range == types.Range(types.Position(0, 2), types.Position(0, 6))
    assert diagnostic.code_description is None


def test_files_that_are_not_ascendc_are_left_alone(opened: Opener, session: Session) -> None:
    document, _ = opened("plain.cpp", "int main() { return 0; }\n")
    assert not document.is_ascendc
    assert replace(document, version=2).uri == document.uri
