"""What the client decides: trust, settings, and the commands that it registers itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast


@dataclass(frozen=True)
class Settings:
    """The client's settings. An empty `soc` means: the chip of `ascendopt.toml`, else the default one.

    An empty `bank` means: the user's own bank.
    """

    soc: str = ""
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    active_case: bool = True
    code_lens: bool = True
    bank: str = ""

    @staticmethod
    def from_json(value: object) -> Settings:
        """Read the settings section; a value of the wrong type counts as not given."""
        section = _mapping(value)
        default = Settings()
        return Settings(
            soc=_text(section.get("soc"), default.soc),
            select=_texts(section.get("select")),
            ignore=_texts(section.get("ignore")),
            active_case=_flag(_mapping(section.get("activeCase")).get("enabled"), default.active_case),
            code_lens=_flag(_mapping(section.get("codeLens")).get("enabled"), default.code_lens),
            bank=_text(_mapping(section.get("bank")).get("folder"), default.bank),
        )


@dataclass(frozen=True)
class ClientOptions:
    """The initialization options. Without any the workspace counts as trusted: the user started the server."""

    trusted: bool = True
    client_commands: frozenset[str] = frozenset()
    settings: Settings = field(default_factory=Settings)

    @staticmethod
    def from_json(value: object) -> ClientOptions:
        """Read `initializationOptions`; unknown keys are ignored."""
        options = _mapping(value)
        return ClientOptions(
            trusted=_flag(options.get("trusted"), True),
            client_commands=frozenset(_texts(options.get("clientCommands"))),
            settings=Settings.from_json(options.get("settings")),
        )


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _text(value: object, default: str) -> str:
    return value if isinstance(value, str) else default


def _flag(value: object, default: bool) -> bool:
    return value if isinstance(value, bool) else default


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(item for item in cast("list[object]", value) if isinstance(item, str))
