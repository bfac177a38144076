"""Progress that the server reports: on the client's token where it sent one, else on one of its own."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from lsprotocol import types

from ascendopt.server.language_server import AscendServer

# Message and percentage (None: as before).
Report = Callable[[str, "int | None"], None]


@asynccontextmanager
async def shown_progress(
    server: AscendServer, title: str, cancel: Callable[[], object], client_token: str | int | None = None
) -> AsyncGenerator[Report, None]:
    """Show `title` while the block runs; gives a function that reports. `cancel` is called when the user cancels."""
    progress = server.work_done_progress
    token: str | int = client_token if client_token is not None else str(uuid.uuid4())
    if client_token is None:
        window = server.session.capabilities.window
        if window is None or not window.work_done_progress:
            yield lambda _message, _percentage: None
            return
        # pygls does not say what its futures hold.
        await progress.create_async(token)  # pyright: ignore[reportUnknownMemberType]
    progress.begin(token, types.WorkDoneProgressBegin(title=title, cancellable=True))
    # pygls cancels this future when the client cancels; nor does it say what it holds.
    future = progress.tokens[token]  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    future.add_done_callback(lambda _future: cancel())  # pyright: ignore[reportUnknownMemberType, reportUnknownLambdaType]

    def report(message: str, percentage: int | None) -> None:
        progress.report(token, types.WorkDoneProgressReport(message=message, percentage=percentage))

    try:
        yield report
    finally:
        progress.end(token, types.WorkDoneProgressEnd())
        # pygls never forgets a token.
        progress.tokens.pop(token, None)  # pyright: ignore[reportUnknownMemberType]
