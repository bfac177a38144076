"""workspace/executeCommand: searches and verification for editors without our extension, and applying a result."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from lsprotocol import types

from ascendopt.server.client_abilities import supports_document_changes
from ascendopt.server.features.search import SearchParams, pause, resume, search
from ascendopt.server.features.verify_and_apply import VerifyParams, verify_and_apply
from ascendopt.server.language_server import AscendServer
from ascendopt.server.progress import shown_progress
from ascendopt.server.protocol import (
    COMMAND_APPLY_SEARCH_RESULT,
    COMMAND_OPTIMIZE,
    COMMAND_PAUSE,
    COMMAND_REFINE,
    COMMAND_RESUME,
    COMMAND_REWIND,
    COMMAND_TILING_SEARCH,
    COMMAND_VERIFY_AND_APPLY,
    SearchResult,
    TrialParams,
)
from ascendopt.server.refusals import Cancelled, RequestFailed
from ascendopt.server.search import METHODS, StaleResult

SEARCH_COMMANDS = {
    COMMAND_TILING_SEARCH: "tiling",
    COMMAND_REFINE: "refine",
    COMMAND_OPTIMIZE: "optimize",
    COMMAND_REWIND: "rewind",
}


def register_commands(server: AscendServer) -> None:
    """Register the commands that the client does not register itself. Called while it initializes."""
    own = server.session.options.client_commands

    async def apply_search_result(identity: str) -> bool:
        return await apply_result(server, identity)

    async def verify(uri: str, version: int, offer: str) -> dict[str, Any]:
        return {**await verify_and_apply(server, VerifyParams(uri, version, offer))}

    async def pause_search() -> dict[str, Any]:
        return {**await pause(server)}

    async def resume_search() -> dict[str, Any]:
        return {**resume(server)}

    server.command(COMMAND_APPLY_SEARCH_RESULT)(apply_search_result)
    for command, run in (
        (COMMAND_VERIFY_AND_APPLY, verify),
        (COMMAND_PAUSE, pause_search),
        (COMMAND_RESUME, resume_search),
    ):
        if command not in own:
            server.command(command)(run)
    for command, method in SEARCH_COMMANDS.items():
        if command not in own:
            server.command(command)(_search_command(server, method))


def _search_command(server: AscendServer, method: str) -> Callable[..., Awaitable[dict[str, Any]]]:
    async def run(*arguments: Any) -> dict[str, Any]:
        given = dict(zip(("uri", "budget", "seed"), arguments, strict=False))
        return await search_with_progress(server, SearchParams.of(given, method))

    return run


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
    label = METHODS[found.method]
    answer = await server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit=edit, label=label))
    if not answer.applied:
        raise RequestFailed(f"The editor refused the edit: {answer.failure_reason or 'the files changed meanwhile'}.")
    del session.searches.finished[identity]
    return True


async def search_with_progress(server: AscendServer, params: SearchParams) -> dict[str, Any]:
    """A search whose progress the server shows; its result is asked about, then applied."""
    result = await _shown(server, params)
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


async def _shown(server: AscendServer, params: SearchParams) -> SearchResult:
    running: asyncio.Future[SearchResult] | None = None

    def cancel() -> None:
        if running is not None:
            running.cancel()

    async with shown_progress(server, METHODS[params.method], cancel) as report:

        def on_trial(trial: TrialParams) -> None:
            done = min(100, round(100 * trial["attempt"] / params.budget))
            best = f", best {trial['best_us']:.1f} µs" if trial["best_us"] is not None else ""
            report(f"attempt {trial['attempt']}{best}", done)

        running = asyncio.ensure_future(search(server, params, on_trial))
        try:
            return await running
        except asyncio.CancelledError as error:
            running.cancel()
            raise Cancelled from error
