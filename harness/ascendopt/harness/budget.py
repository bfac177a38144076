"""Attempts and seconds: what an episode may spend. Tokens are counted where they are spent (``llm/tokens.py``)."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ascendopt.harness.cancelling import CancelToken


@dataclass
class Budget:
    """Counts tries. An attempt is one try that reached compile, whatever came of it.

    Gate-0 rejections, repeated programs (answered from earlier evaluations) and no-ops cost nothing but are
    counted. ``stalled`` proposals in a row without an attempt end a search, so a proposer that only repeats
    itself can't run forever.
    """

    total: int
    attempts: int = 0
    valid: int = 0
    free_rejections: int = 0
    repeats: int = 0
    noops: int = 0

    @property
    def exhausted(self) -> bool:
        """No attempt is left."""
        return self.attempts >= self.total

    @property
    def left(self) -> int:
        """Attempts that are left."""
        return max(0, self.total - self.attempts)

    def attempt(self, valid: bool) -> None:
        """Charge one try that reached compile; ``valid`` means that it passed all gates."""
        self.attempts += 1
        self.valid += valid


class Stopwatch:
    """How long the runs of a journal take, from the first one on. Rests that ``token`` asked for don't count."""

    def __init__(self, token: CancelToken, before: float = 0.0) -> None:
        self._token = token
        self._before = before
        self._start = time.monotonic() - token.paused_s

    @property
    def seconds(self) -> float:
        """Seconds of this run, and ``before`` it."""
        return self._before + time.monotonic() - self._start - self._token.paused_s
