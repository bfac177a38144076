"""A loopback server that speaks the chat-completions wire format and answers from a script, one step a request."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


@dataclass(frozen=True)
class Step:
    """One answer. ``delay_s`` passes before the first byte, ``drip_s`` between pieces of the body."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    drip_s: float = 0.0


def completion(text: str | None, *, usage: Mapping[str, Any] | None = None, finish: str = "stop", **more: Any) -> Step:
    """A well-formed answer with ``text``."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}
    data: dict[str, Any] = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    if usage is not None:
        data["usage"] = usage
    return Step(json.dumps({**data, **more}).encode())


def error(status: int, message: str = "no", code: str | None = None, **headers: str) -> Step:
    """An error as OpenAI's API writes it."""
    body = json.dumps({"error": {"message": message, "type": "x", "param": None, "code": code}}).encode()
    return Step(body, status, {name.replace("_", "-"): value for name, value in headers.items()})


def block(path: str, old: str, new: str) -> str:
    """A search/replace block."""
    middle = f"{new}\n" if new else ""
    return f"<<<<<<< SEARCH {path}\n{old}\n=======\n{middle}>>>>>>> REPLACE\n"


def edit(path: str, old: str, new: str, title: str = "a change") -> Step:
    """A good answer with one block."""
    return completion(
        f"CHANGE: {title}\n\n{block(path, old, new)}", usage={"prompt_tokens": 900, "completion_tokens": 50}
    )


@dataclass
class Request:
    """What a client sent."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def user(self) -> str:
        return self.body["messages"][1]["content"]

    @property
    def system(self) -> str:
        return self.body["messages"][0]["content"]


class ScriptedServer:
    """Answers ``steps`` in order; a step may be made from the request. After the last one it answers HTTP 500."""

    def __init__(self, steps: Sequence[Step | Callable[[Request], Step]] = ()) -> None:
        self.steps = list(steps)
        self.requests: list[Request] = []
        script = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                script.answer(self)

            def log_message(self, format: str, *args: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("content-length", "0"))
        body = json.loads(handler.rfile.read(length))
        request = Request(handler.path, {k.lower(): v for k, v in handler.headers.items()}, body)
        self.requests.append(request)
        step = self.steps.pop(0) if self.steps else error(500, "the script is at its end")
        if not isinstance(step, Step):
            step = step(request)
        time.sleep(step.delay_s)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the client gave up, as it should
            self._write(handler, step)

    def _write(self, handler: BaseHTTPRequestHandler, step: Step) -> None:
        handler.send_response(step.status)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(step.body)), **step.headers}
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        if not step.drip_s:
            handler.wfile.write(step.body)
            return
        for at in range(len(step.body)):
            handler.wfile.write(step.body[at : at + 1])
            handler.wfile.flush()
            time.sleep(step.drip_s)
