"""Append-only, torn lines, locks, replay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ascendopt.harness.journal.events import JournalError, read_events
from ascendopt.harness.journal.journal import Journal
from ascendopt.harness.journal.store import ArtifactStore


def fill(folder: Path, steps: int, *, resume: bool = False) -> list[int]:
    """Run a tiny deterministic episode; returns the steps that were computed and not recalled."""
    computed: list[int] = []

    def outcome(index: int) -> dict[str, int]:
        computed.append(index)
        return {"square": index * index}

    with Journal(folder, resume=resume) as journal:
        journal.header({"seed": 1})
        for index in range(steps):
            event = journal.step("trial", {"trial": index}, lambda index=index: outcome(index))
            assert event["square"] == index * index
    return computed


def test_a_resumed_journal_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    assert fill(tmp_path / "whole", 6) == [0, 1, 2, 3, 4, 5]
    assert fill(tmp_path / "parts", 2) == [0, 1]
    assert fill(tmp_path / "parts", 6, resume=True) == [2, 3, 4, 5]
    assert (tmp_path / "parts/journal.jsonl").read_bytes() == (tmp_path / "whole/journal.jsonl").read_bytes()


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_torn_last_line_is_cut_wherever_it_tore(tmp_path: Path, cut: int) -> None:
    fill(tmp_path / "whole", 4)
    fill(tmp_path / "torn", 4)
    path = tmp_path / "torn/journal.jsonl"
    path.write_bytes(path.read_bytes()[:-cut])
    fill(tmp_path / "torn", 4, resume=True)
    assert path.read_bytes() == (tmp_path / "whole/journal.jsonl").read_bytes()


def test_a_last_line_of_rubbish_is_cut_and_one_in_the_middle_is_refused(tmp_path: Path) -> None:
    fill(tmp_path, 3)
    path = tmp_path / "journal.jsonl"
    good = path.read_bytes()
    path.write_bytes(good + b"\0\0\0\n")
    assert len(read_events(tmp_path)) == 4
    lines = good.splitlines(keepends=True)
    path.write_bytes(lines[0] + b"{\n" + b"".join(lines[2:]))
    with pytest.raises(JournalError, match=r"journal.jsonl:2: .*damaged"):
        read_events(tmp_path)


def test_another_decision_than_the_recorded_one_is_refused(tmp_path: Path) -> None:
    fill(tmp_path, 3)
    with Journal(tmp_path, resume=True) as journal, pytest.raises(JournalError, match="'seed' differs"):
        journal.header({"seed": 2})


def test_two_writers_exclude_each_other(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        journal.header({})
        with pytest.raises(JournalError, match="another process"):
            Journal(tmp_path, resume=True)


def test_an_existing_journal_is_not_overwritten(tmp_path: Path) -> None:
    fill(tmp_path, 1)
    before = (tmp_path / "journal.jsonl").read_bytes()
    with pytest.raises(JournalError, match="--resume"):
        Journal(tmp_path)
    assert (tmp_path / "journal.jsonl").read_bytes() == before
    with pytest.raises(JournalError, match="nothing to resume"):
        Journal(tmp_path / "none", resume=True)


def test_times_are_kept_beside_the_journal(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        journal.header({})
        journal.seconds(1.5)
    assert json.loads((tmp_path / "seconds.jsonl").read_text()) == {"seq": 0, "seconds": 1.5}
    assert b"seconds" not in (tmp_path / "journal.jsonl").read_bytes()


def test_a_journal_of_another_schema_or_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text('{"event":"header","schema":99}\n')
    with pytest.raises(JournalError, match="schema 99"):
        read_events(tmp_path)
    path.write_text('{"event":"trial"}\n')
    with pytest.raises(JournalError, match="no journal"):
        read_events(tmp_path)


def test_artifacts_are_named_by_their_content(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path)
    # sha256 of "abc", FIPS 180-2 appendix B.1
    name = store.put("abc")
    assert name == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert store.get(name) == "abc"
    bytes_in = b"\xff\xfe caf\xe9".decode("utf-8", "surrogateescape")
    assert store.get(store.put(bytes_in)) == bytes_in
    (tmp_path / name).write_text("abd")
    with pytest.raises(ValueError, match="does not hold"):
        store.get(name)
