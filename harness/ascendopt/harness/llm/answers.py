"""Every question and its answer, kept: a resumed episode gets the recorded answers and asks nobody."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from ascendopt.harness.journal.events import Event, JournalError
from ascendopt.harness.journal.journal import Journal
from ascendopt.harness.llm.exchange import ModelFailure, Prompt, Reply

MODEL_EVENT = "model"
ANSWER_EVENT = "answer"
END_EVENT = "model-end"

Outcome = Reply | ModelFailure


class AnswerLog(ABC):
    """Answers by the digest of the prompt and its ordinal: the n-th question of an episode, from 0."""

    @abstractmethod
    def begin(self, identity: Mapping[str, Any]) -> None:
        """Before the first question: which model is asked."""

    @abstractmethod
    def get(self, prompt: Prompt, ordinal: int) -> Outcome | None:
        """What was recorded for a question; None when it is new."""

    @abstractmethod
    def put(self, prompt: Prompt, ordinal: int, outcome: Outcome) -> None:
        """Record the outcome of a new question."""

    @abstractmethod
    def end(self, summary: Mapping[str, Any]) -> None:
        """A proposer will ask no more; ``summary`` says why and what was used."""


class MemoryAnswers(AnswerLog):
    """Answers in memory. Given to a second proposer it replays them, in any order."""

    def __init__(self) -> None:
        self._outcomes: dict[tuple[str, int], Outcome] = {}
        self.prompts: list[Prompt] = []
        self.summaries: list[Mapping[str, Any]] = []

    def begin(self, identity: Mapping[str, Any]) -> None:
        return

    def get(self, prompt: Prompt, ordinal: int) -> Outcome | None:
        return self._outcomes.get((prompt.digest, ordinal))

    def put(self, prompt: Prompt, ordinal: int, outcome: Outcome) -> None:
        self.prompts.append(prompt)
        self._outcomes[prompt.digest, ordinal] = outcome

    def end(self, summary: Mapping[str, Any]) -> None:
        self.summaries.append(dict(summary))


class JournalAnswers(AnswerLog):
    """Answers as events of an episode's journal; the texts are its artifacts. Replay is that of ``Journal.step``.

    Raises JournalError when a resumed run asks something else than the recorded one, or an artifact is damaged.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def begin(self, identity: Mapping[str, Any]) -> None:
        self._journal.step(MODEL_EVENT, {"model": dict(identity)})

    def get(self, prompt: Prompt, ordinal: int) -> Outcome | None:
        if not self._journal.replaying:
            return None
        return self._outcome(self._journal.step(ANSWER_EVENT, _decision(prompt, ordinal)))

    def put(self, prompt: Prompt, ordinal: int, outcome: Outcome) -> None:
        # Artifacts first: an event never names a text that isn't there.
        self._journal.artifacts.put(prompt.text)
        self._journal.step(ANSWER_EVENT, _decision(prompt, ordinal), lambda: self._event(outcome))

    def end(self, summary: Mapping[str, Any]) -> None:
        self._journal.step(END_EVENT, dict(summary))

    def _event(self, outcome: Outcome) -> dict[str, Any]:
        if isinstance(outcome, ModelFailure):
            return {"failure": outcome.reason, "final": outcome.final, "tokens_in": outcome.tokens_in}
        return {
            "answer": self._journal.artifacts.put(outcome.text),
            "tokens_in": outcome.tokens_in,
            "tokens_out": outcome.tokens_out,
            "estimated": outcome.estimated,
            "cut": outcome.cut,
        }

    def _outcome(self, event: Event) -> Outcome:
        if "failure" in event:
            return ModelFailure(event["failure"], final=event["final"], tokens_in=event["tokens_in"])
        try:
            text = self._journal.artifacts.get(event["answer"])
        except (OSError, ValueError) as error:
            raise JournalError(
                f"{self._journal.folder}: can't resume, the model's answer {event['answer']} is missing or damaged."
            ) from error
        return Reply(text, event["tokens_in"], event["tokens_out"], event["estimated"], event["cut"])


def _decision(prompt: Prompt, ordinal: int) -> dict[str, Any]:
    return {"ordinal": ordinal, "prompt": prompt.digest}
