"""The bank's folder: what is put in comes out, whole, once, or not at all."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from bank.bank_samples import evidence, sample, varied

from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.bank.errors import BankError
from ascendopt.bank.merging import Counting
from ascendopt.bank.motif import Conditions, Status
from ascendopt.bank.store import TABLE, BankStore, Filter

TILE = SymptomKind.SMALL_TILE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "bank"


@pytest.fixture
def store(folder: Path) -> BankStore:
    return BankStore.open(folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_is_put_comes_out(store: BankStore, folder: Path) -> None:
    assert store.all() == [] and store.count() == 0
    motifs = sorted(varied(), key=lambda motif: motif.id)
    store.put(motifs)
    for bank in (store, BankStore.open(folder)):
        assert bank.all() == motifs
        assert bank.count() == len(motifs)
        assert bank.get(motifs[3].id) == motifs[3]
        assert bank.get("m" + "0" * 16) is None
    names = [motifs[5].id, "nothing", motifs[2].id]
    assert store.get_many(names) == [motifs[5], motifs[2]]
    assert store.get_many([]) == []


def test_delete(store: BankStore) -> None:
    motifs = store.put(varied())
    assert store.delete([motifs[0].id, motifs[1].id, "it's not there"]) == 2
    assert store.delete([motifs[0].id]) == store.delete([]) == 0
    assert store.count() == len(motifs) - 2 and store.get(motifs[0].id) is None


def test_evidence_of_an_equal_id_is_merged(store: BankStore) -> None:
    first = sample(TILE, "t", "a", "b", tests=(evidence(120, 100, held=1),))
    again = replace(first, title="another title", evidence=(evidence(120, 100, held=2, failed=1), evidence(300, 100)))
    store.put(first)
    (stored,) = store.put(again)
    assert stored == store.get(first.id)
    assert stored.title == "t"
    assert [(each.before_us, each.held, each.failed) for each in stored.evidence] == [(120, 3, 1), (300, 1, 0)]


def test_within_one_call_too(store: BankStore) -> None:
    motif = sample(TILE, "t", "a", "b")
    (stored,) = store.put([motif, motif, motif])
    assert [each.held for each in stored.evidence] == [3]
    assert store.all() == [stored]


def test_an_import_counts_nothing_twice(store: BankStore) -> None:
    motif = sample(TILE, "t", "a", "b", tests=(evidence(120, 100, held=4, failed=1),))
    for _ in range(3):
        (stored,) = store.put(motif, counting=Counting.SAME)
    assert stored == motif
    less = replace(motif, evidence=(evidence(120, 100, held=1, failed=2),))
    (stored,) = store.put(less, counting=Counting.SAME)
    assert [(each.held, each.failed) for each in stored.evidence] == [(4, 2)]


def test_conditions_are_joined(store: BankStore) -> None:
    def stored(first: Conditions, second: Conditions) -> Conditions:
        motif = sample(TILE, "t", "a", "b", conditions=first)
        store.delete([motif.id])
        store.put(motif)
        return store.put(replace(motif, conditions=second))[0].conditions

    assert stored(Conditions(chips=("A",)), Conditions(chips=("B", "A"))).chips == ("A", "B")
    assert stored(Conditions(dtypes=("half",)), Conditions()).dtypes == ()
    both = stored(Conditions((), (), ("x", "y"), ("p",)), Conditions((), (), ("y", "z"), ("q",)))
    assert both == Conditions((), (), ("y",), ("p", "q"))


def test_a_status_that_was_set_stays(store: BankStore) -> None:
    motif = sample(TILE, "t", "a", "b")
    store.put(motif)
    held = store.set_status(motif.id, Status.QUARANTINED, "looked wrong")
    assert (held.status, held.quarantine_reason) == (Status.QUARANTINED, "looked wrong")
    assert store.put(motif)[0].status is Status.QUARANTINED
    assert store.list() == [] and store.list(Filter(quarantined=True)) == store.all() != []
    store.set_status(motif.id, Status.REVIEWED)
    quarantined = replace(motif, status=Status.QUARANTINED, quarantine_reason="x")
    assert store.put(quarantined)[0].status is Status.REVIEWED
    with pytest.raises(BankError, match="has no motif 'm123'"):
        store.set_status("m123", Status.REVIEWED)


def test_a_motif_that_the_schema_refuses_stores_nothing(store: BankStore) -> None:
    good = sample(TILE, "t", "a", "b")
    for bad in (replace(good, title="\x1b[2J"), replace(good, id="m1"), replace(good, title="x" * 300)):
        with pytest.raises(BankError):
            store.put([good, bad])
        assert store.count() == 0


def test_a_frozen_bank_stays_as_it_was(store: BankStore, folder: Path) -> None:
    first, second = varied()[:2]
    store.put(first)
    frozen = BankStore.open(folder, frozen=True)
    digest = frozen.digest()
    store.put(second)
    store.put(first)
    assert frozen.all() == [first] and frozen.digest() == digest != store.digest()
    assert frozen.full_text("buffer", Filter(), 5) == frozen.nearest("buffer", Filter(), 5) == [first.id]
    with pytest.raises(BankError, match="frozen"):
        frozen.put(second)


def test_frozen_banks_are_apart(store: BankStore, folder: Path, tmp_path: Path) -> None:
    empty = BankStore.open(tmp_path / "other", frozen=True)
    store.put(varied())
    full = BankStore.open(folder, frozen=True)
    assert (empty.count(), full.count()) == (0, len(varied()))
    assert empty.all() == [] == empty.nearest("tile", Filter(), 3) == empty.full_text("tile", Filter(), 3)


def test_a_full_disk_is_no_damage(store: BankStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.put(varied()[0])

    def full(*_arguments: object) -> None:
        raise RuntimeError("lance error: IO: No space left on device (os error 28), /somewhere")

    monkeypatch.setattr("ascendopt.bank.store._build_index", full)
    with pytest.raises(BankError, match="cannot be written: No space left on device; what was in it is still there"):
        store.put(varied()[1])


def test_another_process_is_seen(store: BankStore, folder: Path) -> None:
    other = BankStore.open(folder)
    store.put(varied()[0])
    assert other.count() == 1
    other.put(varied()[1])
    assert store.count() == 2


def test_the_digest_is_that_of_the_content(tmp_path: Path) -> None:
    one, two = BankStore.open(tmp_path / "one"), BankStore.open(tmp_path / "two")
    one.put(varied())
    for motif in reversed(varied()):
        two.put(motif)
    assert one.digest() == two.digest()
    two.delete([varied()[0].id])
    assert one.digest() != two.digest()


def test_many_writes_leave_few_files(store: BankStore, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ascendopt.bank.store.KEPT", timedelta(milliseconds=1))
    for number in range(20):
        store.put(sample(TILE, f"t{number}", f"a{number}", "b"))
    few = len(list(folder.rglob("*")))
    for number in range(20, 60):
        store.put(sample(TILE, f"t{number}", f"a{number}", "b"))
    assert store.count() == 60
    assert len(list(folder.rglob("*"))) < few + 80


@pytest.mark.parametrize("kind", ["manifest", "data", "index-gone", "file", "empty folder", "rubbish"])
def test_a_damaged_bank_is_one_sentence_and_left_as_it_is(store: BankStore, folder: Path, kind: str) -> None:
    store.put(varied())
    table = folder / f"{TABLE}.lance"
    if kind == "manifest":
        for path in (table / "_versions").iterdir():
            path.write_bytes(b"\0" * 64)
    elif kind == "data":
        for path in (table / "data").iterdir():
            path.write_bytes(path.read_bytes()[:100])
    elif kind == "index-gone":
        shutil.rmtree(table / "data")
    elif kind == "rubbish":
        for path in table.rglob("*"):
            if path.is_file():
                path.write_bytes(b"not a bank" * 50)
    else:
        shutil.rmtree(table)
        if kind == "file":
            table.write_text("x")
        else:
            table.mkdir()
    before = contents(folder)

    def read() -> object:
        return BankStore.open(folder).all()

    def write() -> object:
        return BankStore.open(folder).put(sample(TILE, "new", "new", "b"))

    for use in (read, write):
        with pytest.raises(BankError) as caught:
            use()
        text = str(caught.value)
        assert text.startswith(f"bank {folder} is damaged and was left as it is (")
        assert "\n" not in text and len(text) < 500 + len(str(folder))
        after = contents(folder)
        after.pop(".lock", None)
        assert after == {name: data for name, data in before.items() if name != ".lock"}


def test_a_row_that_was_changed_is_found(store: BankStore, folder: Path) -> None:
    import lancedb

    store.put(varied())
    lancedb.connect(folder).open_table(TABLE).update(where=f"id = '{varied()[0].id}'", values={"document": "{}"})
    with pytest.raises(BankError, match="does not match its digest"):
        store.all()
    assert store.get(varied()[1].id) == varied()[1]


def test_other_folders_are_not_touched(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "notes.txt").write_text("mine")
    with pytest.raises(BankError, match=r"is not a bank: it holds 'notes.txt'"):
        BankStore.open(home)
    assert [path.name for path in home.iterdir()] == ["notes.txt"]
    with pytest.raises(BankError, match="is not a folder"):
        BankStore.open(home / "notes.txt")
    (home / "notes.txt").rename(home / "motifs_99_1.lance")
    with pytest.raises(BankError, match="newer ascendopt"):
        BankStore.open(home)


def test_what_a_killed_creation_left_is_cleared(folder: Path) -> None:
    (folder / ".building-x" / f"{TABLE}.lance" / "data").mkdir(parents=True)
    store = BankStore.open(folder)
    store.put(varied())
    assert not list(folder.glob(".building-*"))


def test_motifs_that_an_older_version_indexed_are_taken_over(store: BankStore, folder: Path) -> None:
    store.put(varied())
    expected = store.all()
    del store
    (folder / f"{TABLE}.lance").rename(folder / "motifs_1_0.lance")
    assert BankStore.open(folder).all() == expected
    assert [path.name for path in folder.glob("motifs_*")] == [f"{TABLE}.lance"]
