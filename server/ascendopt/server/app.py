"""Puts the server together: one line a feature."""

from __future__ import annotations

from ascendopt.server.features import (
    code_action,
    code_lens,
    configuration,
    diagnostics,
    document_sync,
    hover,
    lifecycle,
    search,
    verify_and_apply,
    watched_files,
)
from ascendopt.server.language_server import AscendServer


def create_server() -> AscendServer:
    """A server with every feature registered, ready to be started on a stream or port."""
    server = AscendServer()
    for feature in (
        lifecycle,
        document_sync,
        diagnostics,
        hover,
        code_lens,
        code_action,
        search,
        verify_and_apply,
        configuration,
        watched_files,
    ):
        feature.register(server)
    return server
