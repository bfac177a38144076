"""A client of a server process: what an editor sends and answers, message by message."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

SERVER = [sys.executable, "-I", "-m", "ascendopt.server"]
HEAVY = {"lancedb", "openai", "numpy", "optuna", "pyarrow", "ml_dtypes"}
# Runs the server, then tells on standard error which modules it has.
GUARDED = [
    sys.executable,
    "-I",
    "-c",
    "import atexit, json, sys\n"
    "atexit.register(lambda: sys.stderr.write('MODULES ' + json.dumps(sorted(sys.modules)) + '\\n'))\n"
    "from ascendopt.server.__main__ import main\n"
    "main([])\n",
]


def frame(message: dict[str, Any]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class Client:
    """Talks to one server over pipes. `applied` holds the edits that the server made; its questions get `answers`."""

    def __init__(self, command: list[str], options: dict[str, Any], workspace: Path | None = None) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.last = 0
        self.seen: list[dict[str, Any]] = []
        self.applied: list[dict[str, Any]] = []
        self.answers: list[str] = []
        self.initialized = self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": workspace.as_uri() if workspace is not None else None,
                "workspaceFolders": [{"uri": workspace.as_uri(), "name": workspace.name}] if workspace else None,
                "capabilities": {
                    "general": {"positionEncodings": ["utf-8", "utf-16"]},
                    "window": {"workDoneProgress": True},
                    "workspace": {"workspaceEdit": {"documentChanges": True}},
                },
                "initializationOptions": options,
            },
        )["result"]
        self.notify("initialized", {})

    def notify(self, method: str, params: Any) -> None:
        self.send({"method": method, "params": params})

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(frame(message))
        self.process.stdin.flush()

    def request(self, method: str, *params: Any) -> dict[str, Any]:
        """The answer; without ``params`` the message has none at all, as VS Code's client sends it."""
        return self.answer_to(self.ask(method, *params))

    def ask(self, method: str, *params: Any) -> int:
        self.last += 1
        given = {"params": params[0]} if params else {}
        self.send({"id": self.last, "method": method, **given})
        return self.last

    def answer_to(self, number: int) -> dict[str, Any]:
        return self.wait(lambda message: message.get("id") == number and "method" not in message)

    def handle(self, message: dict[str, Any]) -> None:
        """Answer a request of the server."""
        result: Any = None
        if message["method"] == "workspace/applyEdit":
            self.applied.append(message["params"])
            result = {"applied": True}
        elif message["method"] == "window/showMessageRequest" and self.answers:
            result = {"title": self.answers.pop(0)}
        self.send({"id": message["id"], "result": result})

    def wait(self, wanted: Any) -> dict[str, Any]:
        while True:
            message = self.read()
            self.seen.append(message)
            if "id" in message and "method" in message:
                self.handle(message)
            if wanted(message):
                return message

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while (line := self.process.stdout.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length"):
                length = int(line.split(b":")[1])
        assert length, "the server ended"
        return json.loads(self.process.stdout.read(length))

    def open(self, path: Path, text: str) -> dict[str, Any]:
        item = {"uri": path.as_uri(), "languageId": "cpp", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return self.diagnostics(path, 1)

    def diagnostics(self, path: Path, version: int) -> dict[str, Any]:
        return self.wait(
            lambda message: (
                message.get("method") == "textDocument/publishDiagnostics"
                and message["params"]["uri"] == path.as_uri()
                and message["params"].get("version") == version
            )
        )["params"]

    def close(self) -> tuple[int, str]:
        self.request("shutdown", None)
        self.notify("exit", None)
        _, errors = self.process.communicate(timeout=30)
        return self.process.returncode, errors.decode()


def span(start: tuple[int, int], end: tuple[int, int]) -> dict[str, Any]:
    return {
        "start": {"line": start[0], "character": start[1]},
        "end": {"line": end[0], "character": end[1]},
    }
