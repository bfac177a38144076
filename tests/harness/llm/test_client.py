"""The client against a scripted server: every way in which an answer can be bad ends as one clear failure."""

from __future__ import annotations

import email.utils
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness.llm.scripted_server import ScriptedServer, Step, completion, error

from ascendopt.harness.llm.client import ChatModel
from ascendopt.harness.llm.exchange import ModelFailure, Prompt, Reply
from ascendopt.harness.llm.settings import ModelSettings, ModelSettingsError, Secret, key_from_environment

KEY = "sk-test-5d41402abc4b2a76b9719d911017c592"
PROMPT = Prompt("rules", "make it faster")
ROOT = Path(__file__).parents[3]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


class Asker:
    """A model on a server; ``waits`` are the seconds that it would have slept."""

    def __init__(self, server: ScriptedServer, **options: Any) -> None:
        self.waits: list[float] = []
        settings = ModelSettings(server.base_url, "m", Secret(KEY), **{"timeout_s": 5.0, **options})
        self.model = ChatModel(settings, sleep=self.waits.append, now=lambda: 1_000_000_000.0)

    def ask(self, max_tokens: int = 100) -> Reply:
        with self.model:
            return self.model.complete(PROMPT, max_tokens=max_tokens)

    def failure(self) -> ModelFailure:
        with pytest.raises(ModelFailure) as caught:
            self.ask()
        return caught.value


def test_a_good_answer_with_its_usage(server: ScriptedServer) -> None:
    server.steps = [completion("hello", usage={"prompt_tokens": 12, "completion_tokens": 3})]
    assert Asker(server, temperature=0.2).ask(77) == Reply("hello", 12, 3)
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "rules"}, {"role": "user", "content": "make it faster"}],
        "max_tokens": 77,
        "temperature": 0.2,
    }


def test_tokens_are_estimated_where_the_server_does_not_count(server: ScriptedServer) -> None:
    server.steps = [completion("x" * 30), completion("x" * 30, usage={"prompt_tokens": -5, "completion_tokens": True})]
    # 3 bytes a token: 5 + 14 bytes asked, 30 answered
    for _ in range(2):
        assert Asker(server).ask() == Reply("x" * 30, 2 + 5, 10, estimated=True)


def test_an_answer_cut_off_says_so(server: ScriptedServer) -> None:
    server.steps = [completion("hel", finish="length")]
    assert Asker(server).ask().cut


def test_text_in_parts_and_half_characters(server: ScriptedServer) -> None:
    body = b'{"choices":[{"message":{"content":[{"type":"text","text":"a\\ud800"},{"type":"text","text":"b"}]}}]}'
    server.steps = [Step(body)]
    assert Asker(server).ask().text == "a?b"


def test_a_rate_limit_waits_as_long_as_the_server_asks(server: ScriptedServer) -> None:
    in_7_s = email.utils.formatdate(1_000_000_007, usegmt=True)
    server.steps = [error(429, retry_after="3"), error(429, retry_after=in_7_s), completion("ok")]
    asker = Asker(server)
    assert asker.ask().text == "ok"
    assert asker.waits == [3.0, 7.0]


@pytest.mark.parametrize("header", ["soon", "-1", "nan", "²", "Wed, 99 Foo", ""])
def test_a_senseless_retry_after_is_ignored(server: ScriptedServer, header: str) -> None:
    step = error(429)
    server.steps = [Step(step.body, 429, {"Retry-After": header.encode().decode("latin-1")}), completion("ok")]
    asker = Asker(server)
    assert asker.ask().text == "ok"
    assert asker.waits == [1.0]


def test_a_wait_beyond_the_cap_is_a_failure(server: ScriptedServer) -> None:
    server.steps = [error(429, retry_after="3600")]
    assert "asks to wait 3600 s (HTTP 429)" in Asker(server).failure().reason


def test_server_errors_are_retried_with_a_growing_capped_wait(server: ScriptedServer) -> None:
    server.steps = [error(500), error(503), error(502), error(504), error(500, "out of memory")]
    asker = Asker(server, longest_wait_s=5.0)
    failure = asker.failure()
    assert failure.reason.endswith("was asked 5 times and answers HTTP 500: out of memory.")
    assert not failure.final
    assert asker.waits == [1.0, 2.0, 4.0, 5.0]
    assert len(server.requests) == 5


@pytest.mark.parametrize(
    ("step", "says", "final"),
    [
        (error(401, f"bad key {KEY[:9]}"), "refuses the key (HTTP 401)", True),
        (error(404, "no model m"), "HTTP 404: no model m.", True),
        (error(400, "context too long"), "HTTP 400: context too long.", False),
        (error(429, "pay first", "insufficient_quota"), "HTTP 429: pay first.", True),
        (Step(b"", 307, {"Location": "http://127.0.0.1:9/"}), "redirects elsewhere", True),
        (Step(b"<html>" + b"x" * 1_000_000, 418), "HTTP 418.", False),
        (Step(b"{", 200), "something else than a JSON answer", False),
        (Step(b"[" * 100_000, 200), "something else than a JSON answer", False),
        (Step(b"<html>proxy</html>", 200, {"Content-Type": "text/html"}), "something else than a JSON answer", False),
        (Step(b'{"choices":[]}', 200), "without choices", False),
        (Step(b'{"choices":"x"}', 200), "without choices", False),
        (Step(b'{"choices":[{"message":null}]}', 200), "an empty answer", False),
        (completion(None), "an empty answer", False),
        (completion(" \n"), "an empty answer", False),
        (Step(b'{"error":{"message":"overloaded"}}', 200), "reports an error: overloaded.", False),
        (completion("x" * 500_000), "an answer of 500000 characters", False),
        (Step(b" " * (5 << 20), 200), "more than 4 MB", False),
        (Step(b"abc", 200, {"Content-Length": "900"}), "broke off", False),
    ],
)
def test_a_bad_answer_is_one_sentence(server: ScriptedServer, step: Step, says: str, final: bool) -> None:
    server.steps = [step]
    failure = Asker(server).failure()
    assert says in failure.reason
    assert failure.final is final
    assert "\n" not in failure.reason and failure.reason.endswith(".")
    assert KEY[:9] not in failure.reason
    assert len(server.requests) == 1


def test_a_slow_answer_runs_into_the_time_out(server: ScriptedServer) -> None:
    server.steps = [Step(completion("late").body, delay_s=3.0)]
    failure = Asker(server, timeout_s=0.3).failure()
    assert failure.reason.endswith("gave no whole answer in 0.3 s.")
    assert failure.tokens_in == 7  # it may have been paid for


def test_a_dripping_answer_runs_into_the_time_out_too(server: ScriptedServer) -> None:
    server.steps = [Step(completion("late" * 100).body, drip_s=0.05)]
    assert "gave no whole answer" in Asker(server, timeout_s=0.4).failure().reason


@pytest.mark.parametrize("step", [Step(b"", delay_s=30.0), error(503, retry_after="30")], ids=["answer", "next try"])
def test_waiting_can_be_stopped(server: ScriptedServer, step: Step) -> None:
    class Stop(Exception):
        pass

    checks: list[float] = []

    def check() -> None:
        checks.append(time.monotonic())
        if len(checks) >= 3 and server.requests:
            raise Stop

    server.steps = [step]
    settings = ModelSettings(server.base_url, "m", Secret(KEY), timeout_s=60.0)
    with ChatModel(settings, check=check) as model, pytest.raises(Stop):
        model.complete(PROMPT, max_tokens=5)
    assert checks[-1] - checks[0] < 10.0


def test_nobody_listens() -> None:
    with ScriptedServer() as gone:
        pass
    assert "can't be reached" in Asker(gone).failure().reason


def test_servers_that_spell_the_limit_otherwise(server: ScriptedServer) -> None:
    server.steps = [
        error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        error(400, "Unsupported value: 'temperature' does not support 0.1"),
        completion("ok"),
        completion("again"),
    ]
    asker = Asker(server)
    assert asker.ask(50).text == "ok"
    assert asker.ask(50).text == "again"
    for request in server.requests[2:]:
        assert request.body["max_completion_tokens"] == 50
        assert not {"max_tokens", "temperature"} & set(request.body)


def test_what_the_environment_holds_for_openai_stays_here(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-private")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-private")
    server.steps = [completion("ok")]
    Asker(server).ask()
    assert "private" not in str(server.requests[0].headers)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"base_url": "ftp://host/v1"}, "http:// or https://"),
        ({"base_url": "host/v1"}, "http:// or https://"),
        ({"base_url": "http://[::1/v1"}, "no URL"),
        ({"base_url": "https://me:secret@host/v1"}, "no user, password"),
        ({"base_url": "https://host/v1?key=secret"}, "no user, password"),
        ({"model": " "}, "no model"),
        ({"timeout_s": 0.0}, "time-out"),
    ],
)
def test_settings_that_can_not_work(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ModelSettingsError, match=says) as caught:
        ModelSettings(**{"base_url": "https://host/v1", "model": "m", **options})
    assert "secret" not in str(caught.value)


def test_the_key_comes_from_the_environment() -> None:
    both = {"ASCENDOPT_API_KEY": " ours\n", "OPENAI_API_KEY": "theirs"}
    assert key_from_environment(both).reveal() == "ours"
    assert key_from_environment({"OPENAI_API_KEY": "theirs"}).reveal() == "theirs"
    assert not key_from_environment({})
    with pytest.raises(ModelSettingsError, match="ASCENDOPT_API_KEY") as caught:
        key_from_environment({"ASCENDOPT_API_KEY": "two words"})
    assert "two" not in str(caught.value)


def test_openai_is_imported_only_when_a_model_is_asked() -> None:
    code = "import sys, ascendopt.harness.llm.proposer, ascendopt.harness.llm.client; sys.exit('openai' in sys.modules)"
    path = ":".join(str(ROOT / part) for part in ("harness", "bank", "analysis"))
    subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": path}, check=True, timeout=60)
