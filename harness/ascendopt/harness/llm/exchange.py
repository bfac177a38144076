"""What goes to a model and what comes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ascendopt.harness.operator_copy import text_digest


@dataclass(frozen=True)
class Prompt:
    """One question. ``system`` is ours alone; ``user`` also holds data, fenced (``fences``)."""

    system: str
    user: str

    @property
    def text(self) -> str:
        """The whole question as it is kept in a journal."""
        return f"# system\n\n{self.system}\n\n# user\n\n{self.user}\n"

    @property
    def digest(self) -> str:
        """SHA-256 of ``text``: the name of its artifact."""
        return text_digest(self.text)


@dataclass(frozen=True)
class Reply:
    """One answer. ``estimated``: the server did not count tokens. ``cut``: it ended at the limit of tokens."""

    text: str
    tokens_in: int
    tokens_out: int
    estimated: bool = False
    cut: bool = False


class ModelFailure(Exception):
    """The model gave no answer that can be used. ``reason`` is one sentence, without the key.

    ``final``: asking again can't help (a refused key, an unknown model). ``tokens_in`` is what the question may have
    cost all the same.
    """

    def __init__(self, reason: str, *, final: bool = False, tokens_in: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.final = final
        self.tokens_in = tokens_in


class Model(Protocol):
    """Something that answers prompts."""

    def complete(self, prompt: Prompt, *, max_tokens: int, temperature: float | None = None) -> Reply:
        """Ask once; ``temperature`` None: the model's own setting. Raises ModelFailure."""
        ...

    def scrub(self, text: str) -> str:
        """``text`` without the model's key."""
        ...

    @property
    def max_tokens(self) -> int:
        """Most tokens of one answer."""
        ...

    def identity(self) -> dict[str, str | float | int | None]:
        """What decides the answers, as plain data, never the key."""
        ...
