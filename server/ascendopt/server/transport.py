"""The protocol object: pygls without its own copy of the documents, UTF-16 for everybody, and parameters optional.

pygls splits text with `str.splitlines`, which breaks lines at form feeds and U+2028 where LSP does not, and splits the
whole text again at every edit. Our documents keep the text instead. It also never answers a request of ours that has no
parameters, which JSON-RPC allows.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, cast

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method

Handler = Generator[Any, Any, Any]


class DocumentlessProtocol(LanguageServerProtocol):
    """Passes document notifications on to our handlers and keeps nothing itself."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Read a message, or any object within one; one without parameters has none."""
        if "jsonrpc" in data and "method" in data:
            data.setdefault("params", None)
        # pygls leaves the type of what it returns open.
        return super().structure_message(data)  # pyright: ignore[reportUnknownMemberType]

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Handler:
        """Answer with UTF-16 positions: every client has to support them."""
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = None
        return (yield from super().lsp_initialize(params))

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Handler:
        """See the class."""
        yield from self._pass_on(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Handler:
        """See the class."""
        yield from self._pass_on(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Handler:
        """See the class."""
        yield from self._pass_on(types.TEXT_DOCUMENT_DID_CLOSE, params)

    def _pass_on(self, method: str, params: Any) -> Handler:
        # pygls types its features as a bare Dict.
        features = cast("dict[str, Callable[..., Any]]", self.fm.features)  # pyright: ignore[reportUnknownMemberType]
        handler = features.get(method)
        if handler is not None:
            yield handler, (params,), None
