"""Rewrites in the light bulb: `refactor.rewrite` actions with their evidence, and a verified form of each.

Offered when the client asks for refactorings or the menu was opened; while the cursor merely moves, only what was found
before for the same texts is shown, and the adviser is made ready for the question that may come.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from lsprotocol import types

from ascendopt.server.client_abilities import covers, supports_document_changes
from ascendopt.server.documents import Document
from ascendopt.server.known_advice import Question
from ascendopt.server.language_server import AscendServer
from ascendopt.server.protocol import COMMAND_VERIFY_AND_APPLY
from ascendopt.server.refusals import ContentModified
from ascendopt.server.rewrites import Advice, MovedOn, Offer
from ascendopt.server.session import Session
from ascendopt.server.worker_process import WorkerFailed

PREFIX = "AscendC: "
# An operator of a hundred thousand bytes takes longer than anybody waits for a quick-fix: the menu has them the next
# time. Who asks for refactorings alone has nothing else to see, and waits.
PATIENCE_SECONDS = 4.0
KIND = types.CodeActionKind.RefactorRewrite


async def rewrite_actions(
    server: AscendServer, document: Document, params: types.CodeActionParams
) -> list[types.CodeAction]:
    """The rewrites that stand at the requested range, best first; each alone, then verified."""
    session = server.session
    if not _asked(session, params.context):
        return []
    question = question_of(session, document)
    if question is None:
        return []
    advice = session.advice.to(question)
    if advice is None and params.context.trigger_kind == types.CodeActionTriggerKind.Automatic:
        _make_ready(server)
        return []
    if advice is None:
        advice = await _advice(server, question, PATIENCE_SECONDS if params.context.only is None else None)
    if advice is None or session.documents.get(document.uri) is not document:
        return []
    offers = advice.at(document.path, document.positions.to_span(params.range))
    return [action for offer in offers for action in _actions(document, offer)]


def question_of(session: Session, document: Document) -> Question | None:
    """What to ask the adviser about the operator that a document belongs to; None when it belongs to none."""
    operator = session.engine.operator_folder(document.path)
    if operator is None:
        return None
    return Question(operator, session.settings.soc, session.overlay(operator), session.settings.bank)


def resolved_rewrite(session: Session, action: types.CodeAction, identity: Mapping[str, Any]) -> types.CodeAction:
    """`action` with its edit, against the texts of now. Raises ContentModified when they are others."""
    document = session.documents.get(str(identity.get("uri")))
    advice = session.advice.last
    if document is None or advice is None or document.version != identity.get("version"):
        raise ContentModified
    try:
        offer = advice.offer(str(identity.get("offer")))
        action.edit = advice.edit(offer, session.current_file, versioned=supports_document_changes(session))
    except MovedOn as error:
        # On disk, perhaps, where nobody told us: the next question is asked anew.
        session.advice.forget_question()
        raise ContentModified from error
    except (ValueError, IndexError) as error:
        raise ContentModified from error
    return action


def _asked(session: Session, context: types.CodeActionContext) -> bool:
    if not session.options.trusted:
        return False
    return context.only is None or any(covers(kind, KIND) for kind in context.only)


async def _advice(server: AscendServer, question: Question, patience: float | None) -> Advice | None:
    """Ask the adviser, or wait for the same question that was asked already. None: it takes longer than `patience`
    seconds, or it failed."""
    known = server.session.advice
    task = known.asked(question)
    if task is None:
        task = asyncio.get_running_loop().create_task(_ask(server, question))
        known.asking(question, task)
    # Not awaited itself: a cancelled request must not end the work behind it.
    done, _ = await asyncio.wait({task}, timeout=patience)
    return task.result() if done and not task.cancelled() else None


async def _ask(server: AscendServer, question: Question) -> Advice | None:
    """What goes wrong is for the log: the other actions are offered all the same."""
    session, name = server.session, question.operator.name
    try:
        with server.busy(f"looking for rewrites of {name}"):
            answer = await session.adviser.ask(question.to_json())
    except (WorkerFailed, OSError) as error:
        server.log(f"no rewrites for {name}: {error}", types.MessageType.Warning)
        return None
    if answer["note"]:
        server.log(f"rewrites for {name}: {answer['note']}", types.MessageType.Warning)
    return session.advice.keep(question, answer)


def _make_ready(server: AscendServer) -> None:
    session = server.session
    if session.adviser.running:
        return

    async def ask() -> None:
        try:
            await session.adviser.ask({"bank": session.settings.bank})
        except (WorkerFailed, OSError) as error:
            server.log(f"no adviser: {error}", types.MessageType.Warning)

    session.keep_task(asyncio.get_running_loop().create_task(ask()))


def _actions(document: Document, offer: Offer) -> list[types.CodeAction]:
    plain = types.CodeAction(
        title=f"{PREFIX}{offer.title} ({offer.evidence})",
        kind=KIND,
        data={"uri": document.uri, "version": document.version, "offer": offer.identity},
    )
    title = f"{PREFIX}verify and apply: {offer.title}"
    arguments = [document.uri, document.version, offer.identity]
    command = types.Command(title, COMMAND_VERIFY_AND_APPLY, arguments=arguments)
    return [plain, types.CodeAction(title=title, kind=KIND, command=command)]
