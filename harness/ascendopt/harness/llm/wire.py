"""One chat-completions request through the ``openai`` package. Import this module only when a model is asked.

The package's own retries and redirects are off: retries are ours (``client``), and a redirect would hand the user's
code to a host that nobody named. Bodies are read in pieces, so that a server can't fill the memory nor drip for ever.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import openai

from ascendopt.harness.llm.exchange import Prompt
from ascendopt.harness.llm.settings import ModelSettings

MAX_BODY = 4 << 20
MAX_ERROR_BODY = 64 << 10
# The package insists on a key; servers without keys ignore this one.
NO_KEY = "no-key"


@dataclass(frozen=True)
class WireAnswer:
    """What the server sent. ``body`` of a status other than 200 is only its beginning."""

    status: int
    body: bytes
    retry_after: str = ""


class WireTimeout(Exception):
    """The time for a request ran out."""


class WireTooLong(Exception):
    """The answer is longer than ``MAX_BODY``."""


class WireError(Exception):
    """No answer: the connection failed or broke. The message names the kind of error only."""


class _Status(openai.OpenAIError):
    """Carries a status other than 200 out of the package before it reads the whole body."""

    def __init__(self, answer: WireAnswer) -> None:
        super().__init__(f"HTTP {answer.status}")
        self.answer = answer


class Wire:
    """A connection to one server."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        http = openai.DefaultHttpxClient(follow_redirects=False, event_hooks={"response": [_only_200]})
        self._client = openai.OpenAI(
            api_key=settings.key.reveal() or NO_KEY,
            base_url=settings.base_url,
            timeout=settings.timeout_s,
            max_retries=0,
            http_client=http,
        )
        # The package takes these from the environment: they are for OpenAI, not for the server at hand.
        self._client.organization = None
        self._client.project = None

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def send(self, prompt: Prompt, options: dict[str, Any]) -> WireAnswer:
        """Ask; ``options`` are further fields of the request. Raises WireTimeout, WireTooLong, WireError.

        What is raised has no cause: the package's errors hold the request with its key.
        """
        failure: Exception
        try:
            return self._send(prompt, options)
        except (WireTimeout, WireTooLong) as error:
            failure = type(error)()
        except _Status as error:
            return error.answer
        except Exception as error:  # the transport library and its errors differ between versions of the package
            cause = error.__cause__
            if isinstance(cause, _Status):
                return cause.answer
            timed_out = isinstance(error, openai.APITimeoutError) or "Timeout" in type(error).__name__
            failure = WireTimeout() if timed_out else WireError(type(cause or error).__name__)
        raise failure

    def _send(self, prompt: Prompt, options: dict[str, Any]) -> WireAnswer:
        deadline = time.monotonic() + self._settings.timeout_s
        body = bytearray()
        with self._client.chat.completions.with_streaming_response.create(
            model=self._settings.model,
            messages=[{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
            extra_headers={"Accept-Encoding": "identity"},
            extra_body=options,
        ) as response:
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > MAX_BODY:
                    raise WireTooLong
                if time.monotonic() > deadline:
                    raise WireTimeout
        return WireAnswer(200, bytes(body))


def _only_200(response: Any) -> None:  # httpx's or httpx2's Response, depending on the version of the package
    if response.status_code == 200:
        return
    body = bytearray()
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > MAX_ERROR_BODY:
            break
    retry_after = str(response.headers.get("retry-after", ""))
    raise _Status(WireAnswer(int(response.status_code), bytes(body[:MAX_ERROR_BODY]), retry_after))
