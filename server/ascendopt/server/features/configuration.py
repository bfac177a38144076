"""didChangeConfiguration: pull the settings when the client can be asked, else take the ones it sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from lsprotocol import types

from ascendopt.server.config import Settings
from ascendopt.server.features.active_case import refresh_active_case
from ascendopt.server.language_server import AscendServer

SECTION = "ascendopt"


def register(server: AscendServer) -> None:
    """Register the handler."""

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        session = server.session
        before = session.settings
        session.settings = Settings.from_json(await _section(server, params.settings))
        if session.settings == before:
            return
        session.schedule_all()
        if session.settings.soc != before.soc or session.settings.active_case != before.active_case:
            for document in session.documents:
                refresh_active_case(server, document)


async def _section(server: AscendServer, sent: object) -> object:
    workspace = server.session.capabilities.workspace
    if workspace is not None and workspace.configuration:
        item = types.ConfigurationItem(section=SECTION)
        answer = await server.workspace_configuration_async(types.ConfigurationParams([item]))
        return answer[0] if answer else None
    if isinstance(sent, Mapping):
        return cast("Mapping[str, Any]", sent).get(SECTION)
    return None
