"""didOpen, didChange, didClose, didSave: documents in, analyses scheduled."""

from __future__ import annotations

from lsprotocol import types

from ascendopt.server.features.active_case import refresh_active_case
from ascendopt.server.features.diagnostics import clear
from ascendopt.server.language_server import AscendServer


def register(server: AscendServer) -> None:
    """Register the handlers. They run on the event loop, in the order of the messages."""
    session = server.session

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        document = session.documents.open(params.text_document, session.macros)
        if document is not None:
            session.schedule(document, 0.0)
            refresh_active_case(server, document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        document = session.documents.change(
            params.text_document.uri, params.text_document.version, params.content_changes
        )
        if document is not None:
            session.schedule_related(document)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        document = session.documents.get(params.text_document.uri)
        if document is not None:
            refresh_active_case(server, document)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        document = session.documents.close(params.text_document.uri)
        if document is not None:
            session.forget(document)
            clear(server, document)
