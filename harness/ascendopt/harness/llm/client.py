"""Asks an OpenAI-compatible model, patiently: retries what may pass, and turns the rest into one clear sentence."""

from __future__ import annotations

import email.utils
import json
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from ascendopt.harness.llm.exchange import ModelFailure, Prompt, Reply
from ascendopt.harness.llm.fences import one_line
from ascendopt.harness.llm.settings import ModelSettings
from ascendopt.harness.llm.tokens import estimate_tokens
from ascendopt.harness.llm.waiting import stoppable, stoppable_sleep

if TYPE_CHECKING:
    from ascendopt.harness.llm.wire import Wire, WireAnswer

FIRST_WAIT_S = 1.0
MAX_TEXT = 400_000
MAX_DETAIL = 200
_RETRIED = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
_FINAL = frozenset({401, 403, 404})
_NO_CREDIT = "insufficient_quota"


class ChatModel:
    """A model behind ``settings.base_url``. Use ``close`` at the end, or as a context manager.

    ``check`` is called often while an answer or the next try is waited for, and stops the waiting by raising (an
    episode's ``CancelToken.check``). ``sleep`` and ``now`` are the clock.
    """

    def __init__(
        self,
        settings: ModelSettings,
        *,
        check: Callable[[], None] | None = None,
        sleep: Callable[[float], None] | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._settings = settings
        self._check: Callable[[], None] = check or (lambda: None)
        self._sleep: Callable[[float], None] = sleep or (lambda seconds: stoppable_sleep(seconds, self._check))
        self._now = now
        self._wire: Wire | None = None
        # Newer models refuse one spelling of the limit, older servers the other; some refuse a temperature.
        self._limit_name = "max_tokens"
        self._takes_temperature = True

    def __enter__(self) -> ChatModel:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; a later question opens a new one."""
        if self._wire is not None:
            self._wire.close()
            self._wire = None

    @property
    def max_tokens(self) -> int:
        """Most tokens of one answer."""
        return self._settings.max_tokens

    def identity(self) -> dict[str, str | float | int | None]:
        """What decides the answers, never the key."""
        return self._settings.identity()

    def scrub(self, text: str) -> str:
        """``text`` without the key."""
        return self._settings.key.scrub(text)

    def complete(self, prompt: Prompt, *, max_tokens: int, temperature: float | None = None) -> Reply:
        """Ask, and ask again after rate limits and server errors. Raises ModelFailure."""
        prompt = Prompt(self.scrub(prompt.system), self.scrub(prompt.user))
        chosen = self._settings.temperature if temperature is None else temperature
        answer = self._send(prompt, max_tokens, chosen)
        tries, wait = 1, FIRST_WAIT_S
        while answer.status != 200:
            detail = self._detail(answer.body)
            if answer.status not in _RETRIED or detail.code == _NO_CREDIT:
                raise self._refused(answer.status, detail)
            if tries > self._settings.retries:
                times = f"{tries} times" if tries > 1 else "once"
                raise ModelFailure(f"{self._who} was asked {times} and answers HTTP {answer.status}{detail.shown}.")
            self._wait(answer, wait)
            answer = self._send(prompt, max_tokens, chosen)
            tries, wait = tries + 1, wait * 2
        return self._reply(prompt, answer.body)

    def _wait(self, answer: WireAnswer, planned: float) -> None:
        asked = _retry_after(answer.retry_after, self._now())
        if asked is not None and asked > self._settings.longest_wait_s:
            raise ModelFailure(f"{self._who} asks to wait {asked:.0f} s (HTTP {answer.status}); try again later.")
        self._sleep(asked if asked is not None else min(planned, self._settings.longest_wait_s))

    @property
    def _who(self) -> str:
        return f"the model at {self._settings.place}"

    def _send(self, prompt: Prompt, max_tokens: int, temperature: float | None) -> WireAnswer:
        """One request; once more for each field that this server turns out to spell otherwise."""
        while True:
            options: dict[str, Any] = {self._limit_name: max_tokens}
            if temperature is not None and self._takes_temperature:
                options["temperature"] = temperature
            answer = self._wired(prompt, options)
            if answer.status != 400 or not self._adapted(answer.body, options):
                return answer

    def _adapted(self, body: bytes, options: Mapping[str, Any]) -> bool:
        text = body.decode("utf-8", "replace")
        if "max_completion_tokens" in text and "max_tokens" in options:
            self._limit_name = "max_completion_tokens"
            return True
        if "temperature" in text and "temperature" in options:
            self._takes_temperature = False
            return True
        return False

    def _wired(self, prompt: Prompt, options: dict[str, Any]) -> WireAnswer:
        from ascendopt.harness.llm import wire  # imports openai: only when a model is asked

        if self._wire is None:
            self._wire = wire.Wire(self._settings)
        connection = self._wire
        maybe_paid = estimate_tokens(prompt.system) + estimate_tokens(prompt.user)
        failure: ModelFailure
        try:
            return stoppable(lambda: connection.send(prompt, options), self._check)
        except wire.WireTimeout:
            seconds = f"{self._settings.timeout_s:g} s"
            failure = ModelFailure(f"{self._who} gave no whole answer in {seconds}.", tokens_in=maybe_paid)
        except wire.WireTooLong:
            size = f"{wire.MAX_BODY >> 20} MB"
            failure = ModelFailure(f"{self._who} sends more than {size} as one answer.", tokens_in=maybe_paid)
        except wire.WireError as error:
            failure = ModelFailure(f"{self._who} can't be reached or broke off ({error}).")
        raise failure  # outside of the handler: no cause, whose request would hold the key

    def _refused(self, status: int, detail: _Detail) -> ModelFailure:
        if status in (401, 403):
            # What such servers say quotes parts of the key.
            return ModelFailure(
                f"{self._who} refuses the key (HTTP {status}); set ASCENDOPT_API_KEY to one that it takes.", final=True
            )
        if 300 <= status < 400:
            return ModelFailure(
                f"{self._who} redirects elsewhere (HTTP {status}); give its final base URL.", final=True
            )
        return ModelFailure(
            f"{self._who} answers HTTP {status}{detail.shown}.", final=status in _FINAL or detail.code == _NO_CREDIT
        )

    def _detail(self, body: bytes) -> _Detail:
        value = _parsed(body)
        error = _mapping(value).get("error", value)
        fields = _mapping(error)
        message = error if isinstance(error, str) else fields.get("message", "")
        text = self.scrub(message) if isinstance(message, str) else ""
        return _Detail(one_line(text, MAX_DETAIL), str(fields.get("code", "")))

    def _reply(self, prompt: Prompt, body: bytes) -> Reply:
        maybe_paid = estimate_tokens(prompt.system) + estimate_tokens(prompt.user)
        data = _mapping(_parsed(body))
        if not data:
            raise ModelFailure(f"{self._who} sends something else than a JSON answer.", tokens_in=maybe_paid)
        if data.get("error"):
            raise ModelFailure(f"{self._who} reports an error{self._detail(body).shown}.")
        first = _first(data.get("choices"))
        if not first:
            raise ModelFailure(f"{self._who} sends an answer without choices.", tokens_in=maybe_paid)
        text = _content(_mapping(first.get("message")).get("content"))
        if not text.strip():
            raise ModelFailure(f"{self._who} sends an empty answer.", tokens_in=maybe_paid)
        if len(text) > MAX_TEXT:
            raise ModelFailure(f"{self._who} sends an answer of {len(text)} characters.", tokens_in=maybe_paid)
        # Lone surrogates are legal JSON, but no text that a file could hold.
        text = self.scrub(text.encode("utf-8", "replace").decode("utf-8"))
        usage = _mapping(data.get("usage"))
        told_in, told_out = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
        return Reply(
            text,
            told_in or maybe_paid,
            told_out or estimate_tokens(text),
            estimated=not (told_in and told_out),
            cut=first.get("finish_reason") == "length",
        )


class _Detail:
    """What a server says about an error."""

    def __init__(self, message: str, code: str) -> None:
        self.code = code
        self.shown = f": {message.rstrip('.')}" if message else ""


def _parsed(body: bytes) -> object:
    try:
        return json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _mapping(value: object) -> Mapping[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _first(value: object) -> Mapping[str, object]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return _mapping(items[0]) if items else {}


def _content(value: object) -> str:
    """The text of a message: a string, or the text parts of a list."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        texts = [_mapping(part).get("text") for part in cast("list[object]", value)]
        return "".join(text for text in texts if isinstance(text, str))
    return ""


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _retry_after(header: str, now: float) -> float | None:
    """Seconds that a Retry-After header asks for (a number or a date); None when it says nothing that makes sense."""
    header = header.strip()
    if header.replace(".", "", 1).isascii() and header.replace(".", "", 1).isdigit():
        return float(header)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - now)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
