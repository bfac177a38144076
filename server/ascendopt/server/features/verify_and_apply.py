"""`ascendopt/verify` and the command `ascendopt.verifyAndApply`: the gates first, then one edit that can be undone."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from lsprotocol import types

from ascendopt.server.client_abilities import supports_document_changes
from ascendopt.server.language_server import AscendServer
from ascendopt.server.progress import shown_progress
from ascendopt.server.protocol import VERIFY, VerifyResult
from ascendopt.server.refusals import Cancelled, RequestFailed
from ascendopt.server.rewrites import Advice, MovedOn, Offer
from ascendopt.server.search import SearchCancelled
from ascendopt.server.verification import Verdict, run_verification
from ascendopt.server.worker import Job
from ascendopt.server.worker_process import WorkerFailed

APPLY_ANYWAY = "Apply anyway"


@dataclass(frozen=True)
class VerifyParams:
    """What an action was offered for: its document at a version, and the offer. `token` shows the progress."""

    uri: str
    version: int
    offer: str
    token: str | int | None = None

    @staticmethod
    def of(value: object) -> VerifyParams:
        """Read what a client sent. Raises RequestFailed."""
        if isinstance(value, Mapping):
            fields = cast("Mapping[str, Any]", value)
        else:
            fields = {name: getattr(value, name, None) for name in ("uri", "version", "offer", "workDoneToken")}
        uri, version, offer = fields.get("uri"), fields.get("version"), fields.get("offer")
        if not isinstance(uri, str) or not isinstance(version, int) or not isinstance(offer, str):
            raise RequestFailed("A verification needs the URI and version of a document, and the offer of an action.")
        return VerifyParams(uri, version, offer, fields.get("workDoneToken"))


def register(server: AscendServer) -> None:
    """Register the handler."""

    @server.feature(VERIFY)
    async def verify(params: Any) -> VerifyResult:
        return await verify_and_apply(server, VerifyParams.of(params))


async def verify_and_apply(server: AscendServer, params: VerifyParams) -> VerifyResult:
    """Run the gates on a copy; apply what is correct and faster, else say why not. Raises RequestFailed, Cancelled."""
    session = server.session
    advice, offer, job = _prepared(server, params)
    if session.verifying is not None:
        raise RequestFailed(f"Another rewrite is being verified ({session.verifying}); wait for it or cancel it.")
    session.verifying = offer.title
    try:
        verdict = await _verdict(server, offer, job, params.token)
    except (WorkerFailed, OSError) as error:
        raise RequestFailed(str(error)) from error
    finally:
        session.verifying = None
    if verdict.correct and verdict.faster:
        await _apply(server, advice, offer)
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, verdict.sentence))
        return VerifyResult(applied=True, summary=verdict.sentence)
    # Not awaited: the answer may come much later, or never.
    session.keep_task(asyncio.get_running_loop().create_task(_explain(server, advice, offer, verdict)))
    return VerifyResult(applied=False, summary=verdict.sentence)


def _prepared(server: AscendServer, params: VerifyParams) -> tuple[Advice, Offer, Job]:
    session = server.session
    if not session.options.trusted:
        raise RequestFailed("Verifying runs code of the workspace: trust the workspace first.")
    document, advice = session.documents.get(params.uri), session.advice.last
    if document is None or advice is None or document.version != params.version:
        raise RequestFailed("The file was changed since this was offered; open the light bulb again.")
    try:
        offer = advice.offer(params.offer)
        advice.check(session.current_file)
        files = advice.changed_texts(offer, session.current_file)
    except MovedOn as error:
        # On disk, perhaps, where nobody told us: the next question is asked anew.
        session.advice.forget_question()
        raise RequestFailed(str(error)) from error
    except (ValueError, IndexError) as error:
        raise RequestFailed(f"There is no rewrite {params.offer}.") from error
    overlay = session.overlay(advice.operator)
    return advice, offer, Job("verify", advice.operator, session.settings.soc, overlay, files=files)


async def _verdict(server: AscendServer, offer: Offer, job: Job, token: str | int | None) -> Verdict:
    """The gates in a worker, with progress; its cancel button and the request's cancellation both end the worker."""
    running: asyncio.Future[Mapping[str, Any]] | None = None

    def cancel() -> None:
        if running is not None:
            running.cancel()

    title = f"Verifying {offer.title}"
    async with shown_progress(server, title, cancel, token) as report:
        with server.busy(title) as say:

            def on_phase(phase: str) -> None:
                say(f"verifying: {phase}")
                report(phase, None)

            running = asyncio.ensure_future(run_verification(job, on_phase))
            try:
                return Verdict.of(offer.title, await running)
            except SearchCancelled as error:
                raise Cancelled from error
            except asyncio.CancelledError as error:
                running.cancel()
                raise Cancelled from error


async def _apply(server: AscendServer, advice: Advice, offer: Offer) -> None:
    """One annotated edit of exactly the texts that were verified. Raises RequestFailed."""
    session = server.session
    try:
        advice.check(session.current_file)
        edit = advice.edit(offer, session.current_file, versioned=supports_document_changes(session))
    except MovedOn as error:
        raise RequestFailed(f"Verified, but not applied: {error}") from error
    answer = await server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit=edit, label=offer.title))
    if not answer.applied:
        raise RequestFailed(f"The editor refused the edit: {answer.failure_reason or 'the files changed meanwhile'}.")


async def _explain(server: AscendServer, advice: Advice, offer: Offer, verdict: Verdict) -> None:
    """Say why it was not applied; what is correct may be applied all the same."""
    if not verdict.correct:
        server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, verdict.sentence))
        return
    question = types.ShowMessageRequestParams(
        types.MessageType.Warning, verdict.sentence, [types.MessageActionItem(APPLY_ANYWAY)]
    )
    choice = await server.window_show_message_request_async(question)
    if choice is None or choice.title != APPLY_ANYWAY:
        return
    try:
        await _apply(server, advice, offer)
    except RequestFailed as error:
        server.window_show_message(types.ShowMessageParams(types.MessageType.Error, error.message))
