"""The server as a process: what a client sees. One server start for the session, one more for each special mode."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from server.conftest import KERNEL

from ascendopt.server.protocol import PROTOCOL_VERSION

SERVER = [sys.executable, "-I", "-m", "ascendopt.server"]
HEAVY = {"lancedb", "openai", "numpy", "optuna", "pyarrow", "ml_dtypes"}
WITHOUT_CASE: dict[str, Any] = {"trusted": True, "settings": {"activeCase": {"enabled": False}}}
# Runs the server, then tells on standard error which modules it has.
GUARDED = (
    "import atexit, json, sys\n"
    "atexit.register(lambda: sys.stderr.write('MODULES ' + json.dumps(sorted(sys.modules)) + '\\n'))\n"
    "from ascendopt.server.__main__ import main\n"
    "main([])\n"
)


def frame(message: dict[str, Any]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class Client:
    """Talks to one server over pipes, message by message."""

    def __init__(self, command: list[str], options: dict[str, Any]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.last = 0
        self.seen: list[dict[str, Any]] = []
        self.initialized = self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": None,
                "capabilities": {"general": {"positionEncodings": ["utf-8", "utf-16"]}},
                "initializationOptions": options,
            },
        )["result"]
        self.notify("initialized", {})

    def notify(self, method: str, params: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(frame({"method": method, "params": params}))
        self.process.stdin.flush()

    def request(self, method: str, params: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.last += 1
        number = self.last
        self.process.stdin.write(frame({"id": number, "method": method, "params": params}))
        self.process.stdin.flush()
        return self.wait(lambda message: message.get("id") == number and "method" not in message)

    def wait(self, wanted: Any) -> dict[str, Any]:
        while True:
            message = self.read()
            self.seen.append(message)
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


def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "doubler.asc"
    path.write_text(KERNEL)
    return path


def test_probe() -> None:
    done = subprocess.run([*SERVER, "--probe"], capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(done.stdout)["protocol"] == PROTOCOL_VERSION


def test_a_session(tmp_path: Path) -> None:
    path = kernel(tmp_path)
    client = Client(
        [sys.executable, "-I", "-c", GUARDED], {"trusted": True, "settings": {"activeCase": {"enabled": False}}}
    )
    capabilities = client.initialized["capabilities"]
    assert capabilities["positionEncoding"] == "utf-16"
    for absent in ("completionProvider", "renameProvider", "documentFormattingProvider", "semanticTokensProvider"):
        assert absent not in capabilities
    assert "ascendopt.tilingSearch" in capabilities["executeCommandProvider"]["commands"]

    codes = [item["code"] for item in client.open(path, KERNEL)["diagnostics"]]
    assert "ASC-QUE001" in codes

    # An emoji is two units: the edit below deletes the line of the second FreeTensor, found by its UTF-16 position.
    at = KERNEL.split("\n").index("        inQueue.FreeTensor(out);") + 1
    document = {"uri": path.as_uri(), "version": 2}
    changes = [
        {"range": span((0, 0), (0, 0)), "text": "/* \U0001f600\f */ "},
        {"range": span((at, 0), (at + 1, 0)), "text": ""},
    ]
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
    after = client.diagnostics(path, 2)
    assert "ASC-QUE001" not in [item["code"] for item in after["diagnostics"]]

    lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": path.as_uri()}})["result"]
    assert [lens["command"]["title"] for lens in lenses][1] == "Search tiling"

    code, errors = client.close()
    assert code == 0
    modules = json.loads(errors.split("MODULES ")[1].splitlines()[0])
    assert not HEAVY & set(modules)


def span(start: tuple[int, int], end: tuple[int, int]) -> dict[str, Any]:
    return {
        "start": {"line": start[0], "character": start[1]},
        "end": {"line": end[0], "character": end[1]},
    }


def test_an_old_fix_is_content_modified(tmp_path: Path) -> None:
    path = kernel(tmp_path)
    client = Client(SERVER, WITHOUT_CASE)
    found = [d for d in client.open(path, KERNEL)["diagnostics"] if d["code"] == "ASC-QUE001"]
    params = {
        "textDocument": {"uri": path.as_uri()},
        "range": found[0]["range"],
        "context": {"diagnostics": found},
    }
    action = client.request("textDocument/codeAction", params)["result"][0]
    edit = [{"range": span((0, 0), (0, 0)), "text": "\n"}]
    client.notify(
        "textDocument/didChange", {"textDocument": {"uri": path.as_uri(), "version": 2}, "contentChanges": edit}
    )
    assert client.request("codeAction/resolve", action)["error"]["code"] == -32801
    client.close()


def test_restricted_mode_gives_diagnostics_and_nothing_else(tmp_path: Path) -> None:
    path = kernel(tmp_path)
    client = Client(SERVER, {"trusted": False, "clientCommands": ["ascendopt.tilingSearch"]})
    assert "ascendopt.tilingSearch" not in client.initialized["capabilities"]["executeCommandProvider"]["commands"]
    assert client.open(path, KERNEL)["diagnostics"]
    place = {"textDocument": {"uri": path.as_uri()}}
    assert client.request("textDocument/codeLens", place)["result"] == []
    answer = client.request("ascendopt/tilingSearch", {"uri": path.as_uri(), "budget": 1, "seed": 1})
    assert "trust the workspace" in answer["error"]["message"]
    code, _ = client.close()
    assert code == 0
