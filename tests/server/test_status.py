"""The status item: what is shown while several things run at a time."""

from __future__ import annotations

from typing import Any

import pytest

from ascendopt.server.language_server import AscendServer


def test_ready_only_when_everything_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    server = AscendServer()
    sent: list[tuple[str, str]] = []

    def notify(_method: str, params: Any) -> None:
        sent.append((params["state"], params["message"]))

    monkeypatch.setattr(server.protocol, "notify", notify)
    with server.busy("search") as say:
        with pytest.raises(OSError), server.busy("tiling"):
            raise OSError
        say("search: champion")
    assert sent == [
        ("busy", "search"),
        ("busy", "tiling"),
        ("busy", "search"),
        ("busy", "search: champion"),
        ("ready", "ready"),
    ]
