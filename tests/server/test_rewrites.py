"""Rewrites in the light bulb and their verification: a server process, the real bank, the model device.

The bank is what rewind learns from a copy of samples/scaled_add with two buffers; the sample itself has one.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from server.client import GUARDED, HEAVY, SERVER, Client, span

from ascendopt.bank.motif import Motif
from ascendopt.bank.opening import SHIPPED, open_bank
from ascendopt.bank.store import BankStore
from ascendopt.harness.rewind.rewind import RewindSettings, rewind
from ascendopt.harness.target import open_device, open_target
from ascendopt.server.verification import Verdict, run_verification
from ascendopt.server.worker import Job
from ascendopt.server.worker_process import GRACE_SECONDS

SAMPLE = Path(__file__).parents[2] / "samples" / "scaled_add"
KERNEL = "op_kernel/scaled_add.cpp"
TITLE = "two buffers instead of one: BUFFER_NUM in the kernel"

pytestmark = pytest.mark.device


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Motif]]:
    """A bank of what two removals taught, and its motifs."""
    folder = tmp_path_factory.mktemp("bank")
    strong = tmp_path_factory.mktemp("strong") / "two_buffers"
    shutil.copytree(SAMPLE, strong)
    kernel = strong / KERNEL
    kernel.write_text(kernel.read_text().replace("BUFFER_NUM = 1;", "BUFFER_NUM = 2;"))
    store = BankStore.open(folder / "bank")
    # As if the shipped motifs had been taken in already: what is shipped must not decide what these tests see.
    (folder / "bank" / "shipped").write_text(hashlib.sha256(SHIPPED.read_bytes()).hexdigest())
    target = open_target(strong)
    device = open_device("model", target.soc)
    try:
        result = rewind([target], device, folder / "run", RewindSettings(2, 0, "2026-01-01", "test"), keep=store.put)
    finally:
        device.close()
    motifs = [motif for motif, _ in result.motifs]
    assert "buffer-depth" in {motif.rewrite.operator for motif in motifs}
    return folder / "bank", motifs


@pytest.fixture
def operator(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SAMPLE, tmp_path / "weak" / "scaled_add"))


@pytest.fixture
def client(bank: tuple[Path, list[Motif]]) -> Iterator[Client]:
    made = Client(SERVER, options(bank[0]))
    yield made
    made.close()


def options(bank: Path, trusted: bool = True) -> dict[str, Any]:
    return {"trusted": trusted, "settings": {"activeCase": {"enabled": False}, "bank": {"folder": str(bank)}}}


def opened(client: Client, operator: Path) -> str:
    """Opens the kernel with a line that is not saved: places must be those of the text in the editor."""
    text = "// \U0001f600 not saved\n" + (operator / KERNEL).read_text()
    client.open(operator / KERNEL, text)
    return text


def actions_at(client: Client, operator: Path, text: str, needle: str, **context: Any) -> list[dict[str, Any]]:
    before = text[: text.index(needle)]
    place = (before.count("\n"), len(before) - before.rfind("\n") - 1)
    params = {
        "textDocument": {"uri": (operator / KERNEL).as_uri()},
        "range": span(place, place),
        "context": {"diagnostics": [], **context},
    }
    return client.request("textDocument/codeAction", params)["result"]


def refactorings(client: Client, operator: Path, text: str, needle: str) -> list[dict[str, Any]]:
    return actions_at(client, operator, text, needle, only=["refactor"], triggerKind=1)


def verify(client: Client, action: dict[str, Any]) -> dict[str, Any]:
    uri, version, offer = action["command"]["arguments"]
    return client.request("ascendopt/verify", {"uri": uri, "version": version, "offer": offer})


def test_a_queue_lists_rewrites_with_their_evidence(
    client: Client, operator: Path, bank: tuple[Path, list[Motif]]
) -> None:
    text = opened(client, operator)
    actions = refactorings(client, operator, text, "x1Queue, BUFFER_NUM")
    measured = next(motif for motif in bank[1] if motif.rewrite.operator == "buffer-depth").evidence[0]
    gain = measured.before_us / measured.after_us
    assert [action["title"] for action in actions[:2]] == [
        f"AscendC: {TITLE} ({gain:.2f}x modelled, held 1 of 1, from two_buffers)",
        f"AscendC: verify and apply: {TITLE}",
    ]
    assert {action["kind"] for action in actions} == {"refactor.rewrite"}
    assert not any("edit" in action for action in actions)


def test_what_no_motif_names_says_so(client: Client, operator: Path) -> None:
    text = opened(client, operator)
    titles = [action["title"] for action in refactorings(client, operator, text, "Muls(b, b, this")]
    assert titles[0] == "AscendC: Axpy instead of Muls and Add (no experience yet)"


def test_resolving_gives_one_versioned_annotated_edit(client: Client, operator: Path) -> None:
    text = opened(client, operator)
    action = refactorings(client, operator, text, "x1Queue, BUFFER_NUM")[0]
    edit = client.request("codeAction/resolve", action)["result"]["edit"]
    [change] = edit["documentChanges"]
    assert change["textDocument"] == {"uri": (operator / KERNEL).as_uri(), "version": 1}
    [one] = change["edits"]
    line = text.split("\n")[one["range"]["start"]["line"]]
    start, end = one["range"]["start"]["character"], one["range"]["end"]["character"]
    assert line[:start] + one["newText"] + line[end:] == "constexpr int32_t BUFFER_NUM = 2;"
    assert "modelled" in edit["changeAnnotations"][one["annotationId"]]["description"]


def test_a_moved_document_is_refused(client: Client, operator: Path) -> None:
    text = opened(client, operator)
    plain, verified = refactorings(client, operator, text, "x1Queue, BUFFER_NUM")[:2]
    insert = [{"range": span((0, 0), (0, 0)), "text": "\n"}]
    document = {"uri": (operator / KERNEL).as_uri(), "version": 2}
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": insert})
    assert client.request("codeAction/resolve", plain)["error"]["code"] == -32801
    assert "was changed" in verify(client, verified)["error"]["message"]


def test_a_host_file_that_moved_on_is_refused(client: Client, operator: Path) -> None:
    text = opened(client, operator)
    verified = refactorings(client, operator, text, "x1Queue, BUFFER_NUM")[1]
    host = operator / "op_host" / "scaled_add.cpp"
    host.write_text(host.read_text() + "// changed\n")
    assert "scaled_add.cpp was changed" in verify(client, verified)["error"]["message"]
    again = refactorings(client, operator, text, "x1Queue, BUFFER_NUM")
    assert "edit" in client.request("codeAction/resolve", again[0])["result"]


def test_only_asked_for(client: Client, operator: Path) -> None:
    text = opened(client, operator)
    assert actions_at(client, operator, text, "x1Queue, BUFFER_NUM", triggerKind=2) == []
    assert actions_at(client, operator, text, "x1Queue, BUFFER_NUM", only=["quickfix"], triggerKind=1) == []
    assert refactorings(client, operator, text, "x1Queue, BUFFER_NUM")
    assert actions_at(client, operator, text, "x1Queue, BUFFER_NUM", triggerKind=1)
    # Known by now: a cursor that merely moves sees it too.
    assert actions_at(client, operator, text, "x1Queue, BUFFER_NUM", triggerKind=2)


def test_restricted_and_light(bank: tuple[Path, list[Motif]], operator: Path) -> None:
    restricted = Client(SERVER, options(bank[0], trusted=False))
    text = opened(restricted, operator)
    assert refactorings(restricted, operator, text, "x1Queue, BUFFER_NUM") == []
    answer = restricted.request("ascendopt/verify", {"uri": "file:///x", "version": 1, "offer": "a/0/0"})
    assert "trust the workspace" in answer["error"]["message"]
    restricted.close()
    guarded = Client(GUARDED, options(bank[0]))
    assert refactorings(guarded, operator, opened(guarded, operator), "x1Queue, BUFFER_NUM")
    _, errors = guarded.close()
    assert not HEAVY & set(json.loads(errors.split("MODULES ")[1].splitlines()[0]))


def test_a_bank_that_cannot_be_read_leaves_the_rewrites(tmp_path: Path, operator: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letters.txt").write_text("no bank")
    client = Client(SERVER, options(tmp_path / "other"))
    titles = [action["title"] for action in refactorings(client, operator, opened(client, operator), "x1Queue, ")]
    assert titles[0] == f"AscendC: {TITLE} (the bank cannot be read)"
    logged = [message for message in client.seen if message.get("method") == "window/logMessage"]
    assert any("is not a bank" in message["params"]["message"] for message in logged)
    client.close()


def test_verified_then_applied_as_one_edit(client: Client, operator: Path) -> None:
    text = opened(client, operator)
    action = refactorings(client, operator, text, "x1Queue, BUFFER_NUM")[1]
    result = verify(client, action)["result"]
    assert result["applied"], result["summary"]
    assert "x faster" in result["summary"] and "(modelled; 95 % interval" in result["summary"]
    [applied] = client.applied
    [change] = applied["edit"]["documentChanges"]
    assert (applied["label"], change["textDocument"]["version"]) == (TITLE, 1)
    assert change["edits"][0]["newText"] == "2"
    assert (operator / KERNEL).read_text() == (SAMPLE / KERNEL).read_text(), "files are the editor's to write"


def test_what_is_not_faster_is_offered_all_the_same(client: Client, operator: Path) -> None:
    # Cores get 4096 elements at least: the timed case has 8 million, so that a smaller least changes nothing.
    host = operator / "op_host" / "scaled_add.cpp"
    text = host.read_text()
    client.open(host, text)
    before = text[: text.index("MIN_CORE_LENGTH = 4096")]
    place = (before.count("\n"), len(before) - before.rfind("\n") + 18)
    params = {
        "textDocument": {"uri": host.as_uri()},
        "range": span(place, place),
        "context": {"diagnostics": [], "only": ["refactor.rewrite"], "triggerKind": 1},
    }
    actions = client.request("textDocument/codeAction", params)["result"]
    action = next(one for one in actions if "verify and apply: MIN_CORE_LENGTH" in one["title"])
    client.answers = ["Apply anyway"]
    result = verify(client, action)["result"]
    assert not result["applied"] and "correct but not faster: 1.000x (modelled" in result["summary"]
    client.wait(lambda message: message.get("method") == "workspace/applyEdit")
    assert client.applied[0]["edit"]["documentChanges"][0]["edits"][0]["newText"] == "2048"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Muls(y, x2,", "Mulls(y, x2,", "Not applied, the compile gate failed at op_kernel/scaled_add.cpp:60: "),
        ("Add(y, y, x1, count);", "Sub(y, y, x1, count);", "Not applied, the correctness gate failed: case "),
    ],
)
async def test_a_failed_gate_is_named_with_its_place(operator: Path, old: str, new: str, said: str) -> None:
    text = (operator / KERNEL).read_text()
    assert text.split("\n")[59].strip().startswith("Muls(y, x2,") and text.count(old) == 1
    job = Job("verify", operator, "", files={KERNEL: text.replace(old, new)})
    verdict = Verdict.of("wrong", await run_verification(job, lambda _phase: None))
    assert not verdict.correct
    assert verdict.sentence.startswith(said) and verdict.sentence.endswith("(wrong).")


def test_cancelling_changes_nothing(client: Client, operator: Path) -> None:
    text = opened(client, operator)
    action = refactorings(client, operator, text, "x1Queue, BUFFER_NUM")[1]
    number = client.ask("workspace/executeCommand", action["command"])
    begun = client.wait(lambda message: message.get("method") == "$/progress")
    assert begun["params"]["value"]["title"] == f"Verifying {TITLE}"
    client.notify("window/workDoneProgress/cancel", {"token": begun["params"]["token"]})
    before = time.monotonic()
    assert client.answer_to(number)["error"]["code"] == -32800
    # The gates are interrupted and clean up; nobody has to kill them.
    assert time.monotonic() - before < GRACE_SECONDS
    assert client.applied == []


def test_refine_and_rewind_through_the_server(client: Client, operator: Path, bank: tuple[Path, list[Motif]]) -> None:
    opened(client, operator)
    uri = (operator / KERNEL).as_uri()
    refined = client.request("ascendopt/search", {"uri": uri, "method": "refine", "budget": 2, "seed": 1})["result"]
    assert refined["speedup"] > 1.1 and refined["method"] == "refine"
    assert "// \U0001f600" not in json.dumps(refined["edit"]), "the edit touches the lines that change, no others"
    assert refined["edit"]["documentChanges"][0]["textDocument"]["version"] == 1
    trials = [message["params"] for message in client.seen if message.get("method") == "ascendopt/trial"]
    assert len(trials) == 2 and trials[0]["note"].startswith(TITLE)

    learnt = client.request("ascendopt/search", {"uri": uri, "method": "rewind", "budget": 2, "seed": 1})["result"]
    assert learnt["edit"] is None and learnt["attempts"] == 2
    assert f"kept in the bank {bank[0]}" in learnt["summary"]
    stored = {motif.id for motif in open_bank(bank[0]).all()}
    assert learnt["motifs"] and {motif["id"] for motif in learnt["motifs"]} <= stored


def test_an_unknown_method_is_refused(client: Client, operator: Path) -> None:
    uri = (operator / KERNEL).as_uri()
    answer = client.request("ascendopt/search", {"uri": uri, "method": "guess"})
    assert "known are tiling, refine, optimize, rewind" in answer["error"]["message"]


def test_a_slow_answer_does_not_hold_the_menu(operator: Path, bank: tuple[Path, list[Motif]], tmp_path: Path) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text(
        "import sys\n"
        "from ascendopt.server.__main__ import main\n"
        "from ascendopt.server.features import rewrites\n"
        "rewrites.PATIENCE_SECONDS = 0.05\n"
        "main([])\n"
    )
    client = Client([SERVER[0], "-I", str(slow)], options(bank[0]))
    text = opened(client, operator)
    assert actions_at(client, operator, text, "x1Queue, BUFFER_NUM", triggerKind=1) == []
    client.wait(lambda message: message.get("method") == "ascendopt/status" and message["params"]["state"] == "ready")
    assert actions_at(client, operator, text, "x1Queue, BUFFER_NUM", triggerKind=2)
    client.close()
