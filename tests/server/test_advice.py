"""What stands at a place, and the process that is asked: pure data and a stand-in for the engine's side."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any

import pytest

from ascendopt.analysis.findings import Span
from ascendopt.server.adviser_process import AdviserProcess
from ascendopt.server.rewrites import MOST_OFFERED, Advice, MovedOn
from ascendopt.server.worker_process import WorkerFailed

TEXT = "int depth = 1;\nqueue q;\n\u6f22 tile = 256;\n"
DEPTH, QUEUE = TEXT.index("1"), TEXT.index("queue")
TILE = len(TEXT[: TEXT.index("256")].encode())


def change(title: str, start: int, end: int, text: str) -> dict[str, Any]:
    return {"title": title, "place": ["k.cpp", start, end], "edits": [["k.cpp", start, end, text]]}


def advice(root: Path, rewrites: list[dict[str, Any]]) -> Advice:
    digests = {"k.cpp": hashlib.sha256(TEXT.encode()).hexdigest()}
    return Advice.of("a", root, {"rewrites": rewrites, "digests": digests})


def two(root: Path) -> Advice:
    deeper = {
        "evidence": "1.40x modelled, held 2 of 2, from mish",
        "places": [["k.cpp", QUEUE, QUEUE + 8]],
        "changes": [change("two buffers", DEPTH, DEPTH + 1, "2")],
    }
    longer = {
        "evidence": "no experience yet",
        "places": [],
        "changes": [change("512", TILE, TILE + 3, "512"), change("1024", TILE, TILE + 3, "1024")],
    }
    return advice(root, [deeper, longer])


def titles(found: Advice, root: Path, start: int, end: int) -> list[str]:
    return [offer.title for offer in found.at(root / "k.cpp", Span(start, end))]


def test_a_rewrite_stands_where_it_edits_and_where_its_symptom_shows(tmp_path: Path) -> None:
    found = two(tmp_path)
    assert titles(found, tmp_path, DEPTH, DEPTH) == ["two buffers"]
    assert titles(found, tmp_path, QUEUE + 3, QUEUE + 3) == ["two buffers"]
    assert titles(found, tmp_path, 0, len(TEXT.encode())) == ["two buffers", "512"]
    assert titles(found, tmp_path, 0, 0) == []
    assert found.at(tmp_path.parent / "k.cpp", Span(DEPTH, DEPTH)) == []


def test_at_most_five(tmp_path: Path) -> None:
    many = [{"evidence": "", "places": [], "changes": [change(str(n), 0, 1, "x")]} for n in range(9)]
    assert titles(advice(tmp_path, many), tmp_path, 0, 1) == ["0", "1", "2", "3", "4"]
    assert MOST_OFFERED == 5


def test_an_offer_is_found_again_and_changes_exactly_its_bytes(tmp_path: Path) -> None:
    found = two(tmp_path)
    [offer] = found.at(tmp_path / "k.cpp", Span(TILE, TILE))
    again = found.offer(offer.identity)
    assert again == offer

    def current(path: Path) -> tuple[str, int | None, bytes]:
        return path.as_uri(), 3, TEXT.encode()

    assert found.changed_texts(again, current) == {"k.cpp": TEXT.replace("256", "512")}
    with pytest.raises(MovedOn, match=r"k\.cpp was changed"):
        found.edit(again, lambda path: (path.as_uri(), 3, b"another text"), versioned=True)
    with pytest.raises(MovedOn, match="open the light bulb again"):
        found.offer("b/0/0")


ANSWERS = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    if question.get("end"):
        sys.exit(3)
    print(json.dumps({"id": question["id"], "echo": question["text"]}), flush=True)
"""


async def test_a_process_that_ends_is_said_and_started_again() -> None:
    adviser = AdviserProcess((sys.executable, "-c", ANSWERS))
    assert not adviser.running
    assert (await adviser.ask({"text": "one"}))["echo"] == "one"
    with pytest.raises(WorkerFailed, match="exit code 3"):
        await adviser.ask({"text": "two", "end": True})
    assert (await adviser.ask({"text": "three"}))["echo"] == "three"
    with pytest.raises(WorkerFailed):
        await adviser.ask({"text": "four", "end": True})
    assert not adviser.running
