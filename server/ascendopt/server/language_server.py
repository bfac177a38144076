"""The server object: pygls with our session in it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from ascendopt.server.protocol import STATUS, StatusParams, package_version
from ascendopt.server.session import Session
from ascendopt.server.transport import DocumentlessProtocol

if TYPE_CHECKING:
    from pygls.server import ServerErrors  # pygls has it for type checkers alone

# One for reading standard input (pygls needs it), one spare.
WORKER_THREADS = 2
DEVICE = "model device (modelled)"


class AscendServer(LanguageServer):
    """One server serves one client; `session` is all its state."""

    def __init__(self) -> None:
        # pygls gives *args and **kwargs no types.
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            "ascendopt",
            package_version(),
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            protocol_cls=DocumentlessProtocol,
            max_workers=WORKER_THREADS,
        )
        self.session = Session()
        self._activities: dict[object, str] = {}
        self._reports_error = False

    def send_status(self, state: str, message: str) -> None:
        """Tell the client what goes on: `state` is `ready`, `busy` or `error`."""
        params = StatusParams(state=state, message=message, device=DEVICE, version=self.version)
        self.protocol.notify(STATUS, params)

    @contextmanager
    def busy(self, message: str) -> Generator[Callable[[str], None], None, None]:
        """Show `message` while the block runs; gives a function that changes it.

        Several may run at a time, a search and an active case for instance: the one that started last is shown, and
        the status is `ready` only when all have ended.
        """
        activity = object()

        def say(text: str) -> None:
            self._activities[activity] = text
            self._send_activity()

        say(message)
        try:
            yield say
        finally:
            del self._activities[activity]
            self._send_activity()

    def _send_activity(self) -> None:
        newest = next(reversed(self._activities.values()), None)
        if newest is None:
            self.send_status("ready", "ready")
        else:
            self.send_status("busy", newest)

    def report_server_error(self, error: Exception, source: ServerErrors) -> None:
        """Show an error to the client, but not that showing one failed: where nobody listens any more, pygls would
        report each failure by another message, and a server that was told to exit would never end."""
        if self._reports_error:
            return
        self._reports_error = True
        try:
            super().report_server_error(error, source)
        finally:
            self._reports_error = False

    def log(self, message: str, level: types.MessageType = types.MessageType.Info) -> None:
        """A line in the client's log of the server."""
        self.window_log_message(types.LogMessageParams(level, message))
