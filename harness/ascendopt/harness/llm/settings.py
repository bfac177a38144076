"""Where the model is and how it is asked; the key, wrapped so that it can't be printed by accident."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

KEY_VARIABLES = ("ASCENDOPT_API_KEY", "OPENAI_API_KEY")
MASK = "***"
# Local servers take any key ("EMPTY", "ollama"): such words are no secrets, and masking them would garble code.
SHORTEST_SECRET = 8


class ModelSettingsError(ValueError):
    """The model can't be set up this way. The message is one sentence for the user, without the key."""


class Secret:
    """A key. It has no readable form but ``reveal``; ``scrub`` takes it out of a text."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The key itself, for the one place that puts it on the wire."""
        return self._value

    def scrub(self, text: str) -> str:
        """``text`` with every occurrence of the key masked."""
        return text.replace(self._value, MASK) if len(self._value) >= SHORTEST_SECRET else text

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return MASK

    def __reduce__(self) -> str:
        raise TypeError("a key is not pickled")


def key_from_environment(environment: Mapping[str, str] | None = None) -> Secret:
    """The key from ASCENDOPT_API_KEY, else OPENAI_API_KEY, else none (local servers need none).

    Raises ModelSettingsError for a key that can't be sent in a header.
    """
    values = os.environ if environment is None else environment
    for name in KEY_VARIABLES:
        key = values.get(name, "").strip()
        if key:
            if not all("!" <= letter <= "~" for letter in key):
                raise ModelSettingsError(f"{name} holds spaces or letters that no key has; set it again.")
            return Secret(key)
    return Secret("")


@dataclass(frozen=True)
class ModelSettings:
    """An OpenAI-compatible model. Raises ModelSettingsError for what can't work.

    ``base_url`` ends where ``/chat/completions`` starts (``https://api.example.com/v1``). ``timeout_s`` is for one
    request as a whole; ``max_tokens`` bounds one answer; ``temperature`` None leaves it to the server. ``retries``
    counts further tries after a rate limit or a server error, ``longest_wait_s`` is the most that one of them waits.
    """

    base_url: str
    model: str
    key: Secret = field(default_factory=key_from_environment)
    timeout_s: float = 120.0
    max_tokens: int = 8192
    temperature: float | None = 0.1
    retries: int = 4
    longest_wait_s: float = 60.0

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.base_url)
            host, user, _port = parts.hostname, parts.username or parts.password, parts.port
        except ValueError:
            raise ModelSettingsError("the model's base URL is no URL; give one like https://host/v1.") from None
        if parts.scheme not in ("http", "https") or not host:
            raise ModelSettingsError("the model's base URL must start with http:// or https:// and name a host.")
        # Both would show a secret wherever the address is shown.
        if user or parts.query or parts.fragment:
            raise ModelSettingsError(
                "the model's base URL must hold no user, password or query; put the key into ASCENDOPT_API_KEY."
            )
        if not self.model.strip():
            raise ModelSettingsError("no model is named; set the model's name as its server spells it.")
        if self.timeout_s <= 0 or self.max_tokens < 1 or self.retries < 0 or self.longest_wait_s < 0:
            raise ModelSettingsError("time-out and token limit of the model must be above 0, retries not below.")

    @property
    def place(self) -> str:
        """Host and port, for messages."""
        return urlsplit(self.base_url).netloc

    def identity(self) -> dict[str, str | float | int | None]:
        """What decides the answers, for a journal's header: never the key."""
        return {
            "base_url": self.base_url,
            "model": self.model,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
        }
