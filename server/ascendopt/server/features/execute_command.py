"""workspace/executeCommand: the search for editors without our extension, and applying a search's result."""

from __future__ import annotations

import uuid
from typing import Any

from lsprotocol import types

from ascendopt.server.features.code_action import supports_document_changes
from ascendopt.server.features.tiling_search import (
    DEFAULT_BUDGET,
    DEFAULT_SEED,
    RequestFailed,
    SearchParams,
    search,
)
from ascendopt.server.language_server import AscendServer
from ascendopt.server.protocol import COMMAND_APPLY_SEARCH_RESULT, COMMAND_TILING_SEARCH, TrialParams
from ascendopt.server.search import StaleResult

LABEL = "Tiling search"


def register_commands(server: AscendServer) -> None:
    """Register the commands that the client does not register itself. Called while it initializes."""
    own = server.session.options.client_commands

    async def apply_search_result(identity: str) -> bool:
        return await apply_result(server, identity)

    async def tiling_search(uri: str, budget: int = DEFAULT_BUDGET, seed: int = DEFAULT_SEED) -> dict[str, Any]:
        return await search_with_progress(server, SearchParams(uri, budget, seed))

    server.command(COMMAND_APPLY_SEARCH_RESULT)(apply_search_result)
    if COMMAND_TILING_SEARCH not in own:
        server.command(COMMAND_TILING_SEARCH)(tiling_search)


async def apply_result(server: AscendServer, identity: str) -> bool:
    """Apply the result of a finished search through the client. Raises RequestFailed with the reason."""
    session = server.session
    found = session.searches.finished.get(identity)
    if found is None:
        raise RequestFailed("There is no finished search with a result to apply.")
    try:
        edit = found.edit(session.current_file, versioned=supports_document_changes(session))
    except (StaleResult, OSError) as error:
        raise RequestFailed(str(error)) from error
    answer = await server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit=edit, label=LABEL))
    if not answer.applied:
        raise RequestFailed(f"The editor refused the edit: {answer.failure_reason or 'the files changed meanwhile'}.")
    del session.searches.finished[identity]
    return True


async def search_with_progress(server: AscendServer, params: SearchParams) -> dict[str, Any]:
    """A search whose progress the server shows; its result is asked about, then applied."""
    progress = server.work_done_progress
    window = server.session.capabilities.window
    token = str(uuid.uuid4())
    shows = bool(window is not None and window.work_done_progress)
    if shows:
        # pygls does not say what its futures hold.
        await progress.create_async(token)  # pyright: ignore[reportUnknownMemberType]
        progress.begin(token, types.WorkDoneProgressBegin(title=LABEL, cancellable=False, percentage=0))

    def on_trial(trial: TrialParams) -> None:
        if shows:
            done = min(100, round(100 * trial["attempt"] / params.budget))
            best = f", best {trial['best_us']:.1f} µs" if trial["best_us"] is not None else ""
            message = f"attempt {trial['attempt']}{best}"
            progress.report(token, types.WorkDoneProgressReport(message=message, percentage=done))

    try:
        result = await search(server, params, on_trial)
    finally:
        if shows:
            progress.end(token, types.WorkDoneProgressEnd())
            # pygls never forgets a token, nor says what its futures hold.
            progress.tokens.pop(token, None)  # pyright: ignore[reportUnknownMemberType]
    if result["edit"] is not None:
        choice = await server.window_show_message_request_async(
            types.ShowMessageRequestParams(
                types.MessageType.Info, result["summary"], [types.MessageActionItem("Apply")]
            )
        )
        if choice is not None and choice.title == "Apply":
            await apply_result(server, result["search"])
    else:
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, result["summary"]))
    return {key: value for key, value in result.items() if key != "edit"}
