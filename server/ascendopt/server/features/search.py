"""`ascendopt/search`: a cancellable search in a worker process, trials as notifications, an edit (or motifs) as result.

`ascendopt/tilingSearch` is the same with the method `tiling`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from lsprotocol import types
from pygls.uris import to_fs_path

from ascendopt.server.client_abilities import supports_document_changes
from ascendopt.server.language_server import AscendServer
from ascendopt.server.protocol import (
    PAUSE_SEARCH,
    RESUME_SEARCH,
    SEARCH,
    TILING_SEARCH,
    TRIAL,
    PausedSearch,
    SearchResult,
    TrialParams,
)
from ascendopt.server.refusals import Cancelled, RequestFailed
from ascendopt.server.rule_pages import cache_folder
from ascendopt.server.search import (
    DEFAULT_BUDGETS,
    DEFAULT_SEED,
    METHODS,
    FinishedSearch,
    RunningSearch,
    SearchCancelled,
    SearchOutcome,
    SearchRequest,
    StaleResult,
    run_search,
    summary_of,
    to_result,
)
from ascendopt.server.worker_process import WorkerFailed


@dataclass(frozen=True)
class SearchParams:
    """Parameters of the request; `budget` and `seed` may be left out."""

    uri: str
    budget: int
    seed: int = DEFAULT_SEED
    method: str = "tiling"

    @staticmethod
    def of(value: object, method: str | None = None) -> SearchParams:
        """Read what a client sent: a JSON object, or pygls' object with attributes. Raises RequestFailed."""
        fields = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else _attributes(value)
        uri, budget, seed = fields.get("uri"), fields.get("budget"), fields.get("seed")
        method = method or fields.get("method")
        if method not in METHODS:
            raise RequestFailed(f"There is no search {method!r}; known are {', '.join(METHODS)}.")
        if not isinstance(uri, str):
            raise RequestFailed("A search needs the URI of a file of the operator.")
        budget = DEFAULT_BUDGETS[method] if budget is None else budget
        seed = DEFAULT_SEED if seed is None else seed
        if not _whole(budget) or budget < 1 or not _whole(seed) or seed < 0:
            raise RequestFailed("The budget of a search is a whole number from 1, its seed one from 0.")
        return SearchParams(uri, budget, seed, method)


def register(server: AscendServer) -> None:
    """Register the handlers."""

    @server.feature(SEARCH)
    async def any_search(params: Any) -> SearchResult:
        return await search(server, SearchParams.of(params), lambda _trial: None)

    @server.feature(PAUSE_SEARCH)
    async def pause_search(_params: Any) -> PausedSearch:
        return await pause(server)

    @server.feature(RESUME_SEARCH)
    async def resume_search(_params: Any) -> PausedSearch:
        return resume(server)

    @server.feature(TILING_SEARCH)
    async def tiling_search(params: Any) -> SearchResult:
        return await search(server, SearchParams.of(params, "tiling"), lambda _trial: None)


async def search(server: AscendServer, params: SearchParams, on_trial: Callable[[TrialParams], None]) -> SearchResult:
    """Run one search and keep its result for `ascendopt.applySearchResult`. Raises RequestFailed, Cancelled."""
    session = server.session
    title = METHODS[params.method]
    request = _request(server, params)
    if session.searches.running is not None:
        raise RequestFailed("A search is already running; wait for it or cancel it.")
    running = RunningSearch()
    identity = running.identity
    session.searches.running = running

    def tell(trial: TrialParams) -> None:
        server.protocol.notify(TRIAL, trial)
        on_trial(trial)

    try:
        before = _texts(server, request)
        with server.busy(f"{title} of {request.operator.name}") as say:
            outcome = await run_search(running, request, tell, lambda phase: say(f"{title}: {phase}"))
        return _finished(server, identity, request, before, outcome)
    except SearchCancelled as error:
        raise Cancelled from error
    except (WorkerFailed, OSError) as error:
        raise RequestFailed(str(error)) from error
    finally:
        session.searches.running = None
        if params.method == "rewind":
            # The bank may know more now, even when the rewind was cancelled.
            session.advice.forget_question()


async def pause(server: AscendServer) -> PausedSearch:
    """Let the running search rest; answers when it does, or when it can't any more. Raises RequestFailed."""
    return PausedSearch(paused=await _running(server).pause())


def resume(server: AscendServer) -> PausedSearch:
    """Let it go on. Raises RequestFailed."""
    _running(server).resume()
    return PausedSearch(paused=False)


def _running(server: AscendServer) -> RunningSearch:
    running = server.session.searches.running
    if running is None:
        raise RequestFailed("No search is running.")
    return running


def _request(server: AscendServer, params: SearchParams) -> SearchRequest:
    session = server.session
    if not session.options.trusted:
        raise RequestFailed(f"{METHODS[params.method]} runs code of the workspace: trust the workspace first.")
    name = to_fs_path(params.uri)
    path = Path(name) if name is not None else None
    operator = session.engine.operator_folder(path) if path is not None else None
    if path is None or operator is None:
        shown = path.name if path is not None else params.uri
        raise RequestFailed(
            f"{shown} belongs to no operator: open a file below op_host/ or op_kernel/, or a .asc file."
        )
    return SearchRequest(
        params.method,
        operator,
        session.settings.soc,
        session.overlay(operator),
        params.budget,
        params.seed,
        _journal_folder(operator),
        session.settings.bank,
    )


def _finished(
    server: AscendServer,
    identity: str,
    request: SearchRequest,
    before: Mapping[Path, bytes],
    outcome: SearchOutcome,
) -> SearchResult:
    session = server.session
    root = _root(request.operator)
    after = {root / name: text for name, text in outcome.files.items()}
    edit: types.WorkspaceEdit | None = None
    if after:
        summary = summary_of(outcome.result, found=True)
        found = FinishedSearch(identity, {path: before[path] for path in after}, after, summary, request.method)
        session.searches.finished[identity] = found
        try:
            edit = found.edit(session.current_file, versioned=supports_document_changes(session))
        except StaleResult as error:
            raise RequestFailed(str(error)) from error
    return to_result(identity, request.method, outcome.result, edit)


def _texts(server: AscendServer, request: SearchRequest) -> dict[Path, bytes]:
    """What the operator's files hold when the search starts: its result is an edit of exactly these."""
    root = _root(request.operator)
    if root != request.operator:
        return {request.operator: server.session.current_file(request.operator)[2]}
    files = (file for folder in ("op_host", "op_kernel") for file in (root / folder).rglob("*") if file.is_file())
    return {file: server.session.current_file(file)[2] for file in files}


def _root(operator: Path) -> Path:
    return operator if operator.is_dir() else operator.parent


def _journal_folder(operator: Path) -> Path:
    base = cache_folder() / "searches"
    base.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=f"{operator.stem}-", dir=base))


def _attributes(value: object) -> dict[str, Any]:
    """pygls turns parameters of methods that it does not know into named tuples."""
    return {name: getattr(value, name, None) for name in ("uri", "budget", "seed", "method")}


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
