"""Tokens: what an episode may spend on a model."""

from __future__ import annotations

from dataclasses import dataclass

# UTF-8 bytes of a token: published tokenizers need 3 to 4 for code; the smaller figure keeps a cap a cap.
BYTES_PER_TOKEN = 3


def estimate_tokens(text: str) -> int:
    """Tokens of a text, rather too many than too few."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


@dataclass
class TokenBudget:
    """Counts tokens in (prompts) and out (answers) against one cap for both; ``total`` None: no cap."""

    total: int | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    estimated: int = 0

    @property
    def spent(self) -> int:
        """In and out together."""
        return self.tokens_in + self.tokens_out

    def room(self, prompt_tokens: int, wanted: int) -> int:
        """How many tokens an answer to a prompt of ``prompt_tokens`` may have, at most ``wanted``; 0 or less: none."""
        return wanted if self.total is None else min(wanted, self.total - self.spent - prompt_tokens)

    def charge(self, tokens_in: int, tokens_out: int, *, estimated: bool) -> None:
        """Add one answer; ``estimated`` when the server did not count it."""
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out
        self.estimated += estimated
