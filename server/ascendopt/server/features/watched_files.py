"""didChangeWatchedFiles: the disk changed under us (a checkout, another editor, a new ascendopt.toml)."""

from __future__ import annotations

from lsprotocol import types
from pygls.uris import to_fs_path

from ascendopt.server.features.active_case import refresh_active_case
from ascendopt.server.language_server import AscendServer

CONFIGURATION_FILES = ("ascendopt.toml", "pyproject.toml")


def register(server: AscendServer) -> None:
    """Register the handler."""

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(params: types.DidChangeWatchedFilesParams) -> None:
        session = server.session
        # What is open comes from the editor, not from the disk.
        foreign = [change.uri for change in params.changes if session.documents.get(change.uri) is None]
        if not foreign:
            return
        session.engine.forget_disk()
        session.advice.forget_question()
        session.schedule_all()
        if any((to_fs_path(uri) or "").endswith(CONFIGURATION_FILES) for uri in foreign):
            for document in session.documents:
                refresh_active_case(server, document)
