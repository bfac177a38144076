"""initialize, initialized, shutdown."""

from __future__ import annotations

from lsprotocol import types

from ascendopt.server.config import ClientOptions
from ascendopt.server.features import execute_command
from ascendopt.server.language_server import AscendServer


def register(server: AscendServer) -> None:
    """Register the handlers."""

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        options = ClientOptions.from_json(params.initialization_options)
        server.session.options = options
        server.session.settings = options.settings
        server.session.capabilities = params.capabilities
        server.session.engine.rule_pages.speak(params.locale)
        execute_command.register_commands(server)

    @server.feature(types.INITIALIZED)
    def initialized(_params: types.InitializedParams) -> None:
        trust = "" if server.session.options.trusted else " (restricted: diagnostics only)"
        server.send_status("ready", f"ready{trust}")

    @server.feature(types.SHUTDOWN)
    def shutdown(_params: None) -> None:
        server.session.close()
