"""The server object: pygls with our session in it."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from ascendopt.server.protocol import STATUS, StatusParams, package_version
from ascendopt.server.session import Session
from ascendopt.server.transport import DocumentlessProtocol

# One for reading standard input (pygls needs it), one spare.
WORKER_THREADS = 2
DEVICE = "model device (modelled)"


class AscendServer(LanguageServer):
    """One server serves one client; `session` is all its state."""

    def __init__(self) -> None:
        super().__init__(
            "ascendopt",
            package_version(),
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            protocol_cls=DocumentlessProtocol,
            max_workers=WORKER_THREADS,
        )
        self.session = Session()

    def send_status(self, state: str, message: str) -> None:
        """Tell the client what goes on: `state` is `ready`, `busy` or `error`."""
        params = StatusParams(state=state, message=message, device=DEVICE, version=self.version)
        self.protocol.notify(STATUS, params)

    def log(self, message: str, level: types.MessageType = types.MessageType.Info) -> None:
        """A line in the client's log of the server."""
        self.window_log_message(types.LogMessageParams(level, message))
