"""The server as a process: what a client sees. One server start for the session, one more for each special mode."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from server.client import GUARDED, HEAVY, SERVER, Client, span
from server.conftest import KERNEL

from ascendopt.server.protocol import PROTOCOL_VERSION

WITHOUT_CASE: dict[str, Any] = {"trusted": True, "settings": {"activeCase": {"enabled": False}}}


def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "doubler.asc"
    path.write_text(KERNEL)
    return path


def test_probe() -> None:
    done = subprocess.run([*SERVER, "--probe"], capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(done.stdout)["protocol"] == PROTOCOL_VERSION


def test_a_session(tmp_path: Path) -> None:
    path = kernel(tmp_path)
    client = Client(GUARDED, WITHOUT_CASE)
    capabilities = client.initialized["capabilities"]
    assert capabilities["positionEncoding"] == "utf-16"
    for absent in ("completionProvider", "renameProvider", "documentFormattingProvider", "semanticTokensProvider"):
        assert absent not in capabilities
    commands = capabilities["executeCommandProvider"]["commands"]
    assert {"ascendopt.tilingSearch", "ascendopt.pauseSearch", "ascendopt.resumeSearch"} <= set(commands)
    for request in ("ascendopt/pauseSearch", "ascendopt/resumeSearch"):
        assert client.request(request, {})["error"]["message"] == "No search is running."
        assert client.request(request)["error"]["message"] == "No search is running."

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


def test_importing_the_server_imports_nothing_heavy() -> None:
    code = (
        "import json, sys\n"
        "import ascendopt.server.app, ascendopt.server.adviser, ascendopt.server.worker\n"
        "print(json.dumps(sorted(sys.modules)))\n"
    )
    done = subprocess.run([SERVER[0], "-I", "-c", code], capture_output=True, text=True, timeout=60, check=True)
    modules = set(json.loads(done.stdout))
    assert not HEAVY & modules
    assert not [name for name in modules if name.startswith(("ascendopt.harness", "ascendopt.bank."))]
