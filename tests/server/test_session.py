"""What a session remembers of documents that are not asked for."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lsprotocol import types
from server.conftest import KERNEL

from ascendopt.server.documents import Document
from ascendopt.server.engine import MOST_OPERATORS, Report
from ascendopt.server.session import Session


def test_facts_stay_for_the_operators_asked_for_last_and_come_back(session: Session, tmp_path: Path) -> None:
    published: list[str] = []
    session.publish = lambda document, _report: published.append(document.uri)

    async def read_through() -> None:
        documents = [_opened(session, tmp_path / f"kernel{n}.asc") for n in range(MOST_OPERATORS + 1)]
        first = [await _analysed(session, document) for document in documents]
        assert session.current(documents[0]) is None
        assert all(session.current(document) is not None for document in documents[1:])

        again = await asyncio.gather(*(session.report(documents[0].uri) for _ in range(3)))
        assert all(report is again[0] for report in again), "three who ask wait for one analysis"
        assert again[0] is not None
        assert [(one.rule, one.span) for one in again[0].findings] == [
            (one.rule, one.span) for one in first[0].findings
        ]
        assert session.current(documents[1]) is None, "another one went for it"
        assert published == [document.uri for document in (*documents, documents[0])]

    asyncio.run(read_through())
    session.close()


def test_an_edit_of_a_dropped_document_is_analysed_once(session: Session, tmp_path: Path) -> None:
    async def edit() -> None:
        documents = [_opened(session, tmp_path / f"kernel{n}.asc") for n in range(MOST_OPERATORS + 1)]
        for document in documents:
            await _analysed(session, document)
        change = types.TextDocumentContentChangePartial(
            text="// edited\n", range=types.Range(types.Position(0, 0), types.Position(0, 0))
        )
        edited = session.documents.change(documents[0].uri, 2, [change])
        assert edited is not None
        report = await _analysed(session, edited)
        assert session.current(edited) is report
        assert min(finding.span.start for finding in report.findings) > len("// edited\n")

    asyncio.run(edit())
    session.close()


def _opened(session: Session, path: Path) -> Document:
    path.write_text(KERNEL)
    document = session.documents.open(types.TextDocumentItem(path.as_uri(), "cpp", 1, KERNEL), session.macros)
    assert document is not None
    return document


async def _analysed(session: Session, document: Document) -> Report:
    session.schedule(document, 0.0)
    report = await session.report(document.uri)
    assert report is not None
    return report
