"""All questions of one episode: answered from its log or by the model, counted, capped."""

from __future__ import annotations

from dataclasses import dataclass

from ascendopt.harness.journal.journal import Journal
from ascendopt.harness.llm.answers import AnswerLog, JournalAnswers, MemoryAnswers
from ascendopt.harness.llm.exchange import Model, ModelFailure, Prompt, Reply
from ascendopt.harness.llm.tokens import TokenBudget, estimate_tokens

# An answer with less room can't hold an edit.
SMALLEST_ANSWER = 256


class TokensSpent(Exception):
    """The cap of tokens leaves no room for another question. The message is one sentence."""


@dataclass
class ModelUsage:
    """What was asked: ``asked`` questions, of which ``failures`` had no answer, ``failed_in_row`` the latest ones."""

    asked: int = 0
    failures: int = 0
    failed_in_row: int = 0


class ModelSession:
    """The model as an episode sees it. All proposers of the episode share one session, and so one cap of tokens.

    ``token_cap`` bounds tokens in and out together; None: no cap. Open it on the episode's journal (``open``) before
    the first question, at every run: otherwise answers are only kept in memory and a resumed run would ask again.
    """

    def __init__(self, model: Model, token_cap: int | None = None, log: AnswerLog | None = None) -> None:
        self._model = model
        self._token_cap = token_cap
        self._reset(log or MemoryAnswers())

    def open(self, journal: Journal) -> None:
        """Start a run: answers go to ``journal`` and come from it, counts are at zero."""
        self._reset(JournalAnswers(journal))

    def _reset(self, log: AnswerLog) -> None:
        self._log = log
        self._begun = False
        self.tokens = TokenBudget(self._token_cap)
        self.usage = ModelUsage()

    def ask(self, prompt: Prompt, temperature: float | None = None) -> Reply:
        """The recorded answer, or a new one. Raises ModelFailure (counted), TokensSpent."""
        if not self._begun:
            self._log.begin(self._model.identity())
            self._begun = True
        # Scrubbed before it is kept: the prompt goes to the journal as well as to the model.
        prompt = Prompt(self._model.scrub(prompt.system), self._model.scrub(prompt.user))
        expected = estimate_tokens(prompt.system) + estimate_tokens(prompt.user)
        room = self.tokens.room(expected, self._model.max_tokens)
        if room < min(SMALLEST_ANSWER, self._model.max_tokens):
            raise TokensSpent(
                f"the cap of {self._token_cap} tokens is reached: {self.tokens.spent} are spent "
                f"and the next question needs about {expected}."
            )
        outcome = self._log.get(prompt, self.usage.asked)
        if outcome is None:
            try:
                outcome = self._model.complete(prompt, max_tokens=room, temperature=temperature)
            except ModelFailure as failure:
                outcome = failure
            self._log.put(prompt, self.usage.asked, outcome)
        self.usage.asked += 1
        if isinstance(outcome, ModelFailure):
            self.usage.failures += 1
            self.usage.failed_in_row += 1
            self.tokens.charge(outcome.tokens_in, 0, estimated=bool(outcome.tokens_in))
            raise outcome
        self.usage.failed_in_row = 0
        self.tokens.charge(outcome.tokens_in, outcome.tokens_out, estimated=outcome.estimated)
        return outcome

    def end(self, reason: str, phase: str) -> None:
        """Record why a proposer asks no more, with what was used so far."""
        self._log.end(
            {
                "phase": phase,
                "reason": reason,
                "asked": self.usage.asked,
                "failures": self.usage.failures,
                "tokens_in": self.tokens.tokens_in,
                "tokens_out": self.tokens.tokens_out,
                "estimated": self.tokens.estimated,
            }
        )
