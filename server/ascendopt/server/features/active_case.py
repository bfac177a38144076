"""The active case: in a trusted workspace the host tiling is run, so that symbolic sizes become numbers."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ascendopt.server.active_cases import case_from_json
from ascendopt.server.documents import Document
from ascendopt.server.language_server import AscendServer
from ascendopt.server.worker import Job
from ascendopt.server.worker_process import WorkerFailed, WorkerProcess


def refresh_active_case(server: AscendServer, document: Document) -> None:
    """Get the case of the document's operator anew, in the background. Does nothing in a restricted workspace."""
    session = server.session
    if not session.options.trusted or not session.settings.active_case or not document.is_ascendc:
        return
    folder = session.engine.operator_folder(document.path)
    if folder is None:
        return
    task = asyncio.get_running_loop().create_task(_run(server, folder))
    session.active_cases.start(folder, task)


async def _run(server: AscendServer, folder: Path) -> None:
    """Failures are not the user's concern here (a search reports them): they go to the log."""
    session = server.session
    job = Job("active-case", folder, session.settings.soc, session.overlay(folder))
    with server.busy(f"running the tiling of {folder.name}"):
        try:
            async with WorkerProcess(job) as worker:
                async for event in worker.events():
                    case = event.get("case")
                    if case is not None and session.active_cases.put(folder, case_from_json(case)):
                        _analyse_again(server, folder)
        except (WorkerFailed, OSError) as error:
            session.active_cases.drop(folder)
            server.log(f"no active case for {folder.name}: {error}")


def _analyse_again(server: AscendServer, folder: Path) -> None:
    session = server.session
    for document in session.documents:
        if session.engine.operator_folder(document.path) == folder:
            session.schedule(document, 0.0)
    workspace = session.capabilities.workspace
    if workspace is not None and workspace.code_lens is not None and workspace.code_lens.refresh_support:
        server.workspace_code_lens_refresh(None)
