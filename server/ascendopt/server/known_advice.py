"""The advice that was given last: what a light bulb shows again, and what its actions refer to."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ascendopt.server.rewrites import Advice


@dataclass(frozen=True)
class Question:
    """What the adviser is asked: the operator, the chip (empty: its own), the texts that are open, the bank."""

    operator: Path
    soc: str
    texts: Mapping[str, str]
    bank: str

    def to_json(self) -> dict[str, Any]:
        """As the adviser reads it."""
        return {"operator": str(self.operator), "soc": self.soc, "texts": dict(self.texts), "bank": self.bank}


class KnownAdvice:
    """One question and its answer. An answer holds until the texts, the settings, the bank or the disk change."""

    def __init__(self) -> None:
        self._question: Question | None = None
        self._advice: Advice | None = None
        self._running: tuple[Question, asyncio.Task[Advice | None]] | None = None

    @property
    def last(self) -> Advice | None:
        """What was answered last."""
        return self._advice

    def to(self, question: Question) -> Advice | None:
        """The answer to exactly this question, if it was asked last."""
        return self._advice if question == self._question else None

    def asked(self, question: Question) -> asyncio.Task[Advice | None] | None:
        """The task that waits for the answer to exactly this question, if there is one."""
        return self._running[1] if self._running is not None and self._running[0] == question else None

    def asking(self, question: Question, task: asyncio.Task[Advice | None]) -> None:
        """Remember who waits for the answer, until it is there."""
        self._running = (question, task)

        def ended(done: asyncio.Task[Advice | None]) -> None:
            if self._running is not None and self._running[1] is done:
                self._running = None

        task.add_done_callback(ended)

    def keep(self, question: Question, answer: Mapping[str, Any]) -> Advice:
        """Take an answer up."""
        self._question = question
        self._advice = Advice.of(uuid.uuid4().hex[:12], question.operator, answer)
        return self._advice

    def forget_question(self) -> None:
        """The disk or the bank changed: ask again. What is shown still refers to the last answer."""
        self._question = None
        self._running = None
