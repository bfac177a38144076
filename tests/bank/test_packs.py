"""Packs and the public bank: round trips, and files that somebody else wrote."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bank.bank_samples import sample, varied

from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.bank import opening
from ascendopt.bank.codec import motif_to_json
from ascendopt.bank.errors import BankError
from ascendopt.bank.motif import Status
from ascendopt.bank.opening import SHIPPED, default_folder, open_bank
from ascendopt.bank.packs import MAX_BYTES, import_file, pack_text, read_pack, write_pack
from ascendopt.bank.public_bank import symptom_of
from ascendopt.bank.store import BankStore

TILE = SymptomKind.SMALL_TILE


@pytest.fixture
def store(tmp_path: Path) -> BankStore:
    return BankStore.open(tmp_path / "bank")


def pack(path: Path, **changes: object) -> Path:
    value: dict[str, Any] = {"format": "ascendopt-bank", "version": 1, "motifs": [motif_to_json(m) for m in varied()]}
    path.write_text(json.dumps({**value, **changes}))
    return path


def test_export_import_export_is_the_same_file(tmp_path: Path, store: BankStore) -> None:
    write_pack(tmp_path / "a.json", varied())
    report = import_file(store, tmp_path / "a.json")
    assert (report.records, report.new, report.known, report.quarantined) == (14, 14, 0, 0)
    write_pack(tmp_path / "b.json", store.all())
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert read_pack(tmp_path / "b.json") == store.all()
    assert not list(tmp_path.glob(".*.json*"))


def test_a_pack_does_not_depend_on_the_order() -> None:
    assert pack_text(varied()) == pack_text(reversed(varied()))


def test_an_import_twice_changes_nothing(tmp_path: Path, store: BankStore) -> None:
    path = pack(tmp_path / "p.json")
    import_file(store, path)
    digest = store.digest()
    report = import_file(store, path)
    assert (report.new, report.known, report.taken) == (0, 14, 14)
    assert store.digest() == digest


def test_faulty_motifs_of_a_pack_go_into_quarantine(tmp_path: Path, store: BankStore) -> None:
    bad = sample(TILE, "bad", "n = 8;  // force single core", "n = 9;")
    write_pack(tmp_path / "p.json", [*varied(), bad])
    report = import_file(store, tmp_path / "p.json")
    assert (report.taken, report.quarantined, report.reasons) == (15, 1, {"confession": 1})
    assert [motif.id for motif in store.all() if motif.status is Status.QUARANTINED] == [bad.id]


def test_one_bad_record_refuses_the_pack(tmp_path: Path, store: BankStore) -> None:
    records = [motif_to_json(motif) for motif in varied()]
    records[4]["title"] = "<script>x</script>"
    with pytest.raises(BankError, match=r"p.json: motif 5 \(m[0-9a-f]{16}\), field 'title' holds HTML"):
        import_file(store, pack(tmp_path / "p.json", motifs=records))
    assert store.count() == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 2}, "is a pack of version 2; this ascendopt reads version 1"),
        ({"version": "1"}, "field 'version' must be a whole number"),
        ({"motifs": {}}, "field 'motifs' must be a list, not an object"),
        ({"motifs": [None]}, "motif 1 must be an object, not null"),
        ({"extra": 1}, "unknown field 'extra'"),
        ({"format": "x"}, "neither a bank pack nor the public bank's list"),
        ({"motifs": [motif_to_json(varied()[0])] * 2}, "twice"),
    ],
)
def test_packs_that_are_none(tmp_path: Path, store: BankStore, changes: dict[str, object], message: str) -> None:
    with pytest.raises(BankError, match=message):
        import_file(store, pack(tmp_path / "p.json", **changes))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"[]", "neither a bank pack"),
        (b"7", "neither a bank pack"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"format": NaN}', "NaN is no number"),
        (b'{"format": 1, "format": 2}', "the key 'format' stands twice"),
        (b'{"format": ' + b"9" * 10_000 + b"}", "is not JSON as it should be"),
    ],
)
def test_files_that_are_no_json(tmp_path: Path, store: BankStore, data: bytes, message: str) -> None:
    (tmp_path / "p.json").write_bytes(data)
    with pytest.raises(BankError, match=message) as caught:
        import_file(store, tmp_path / "p.json")
    assert "\n" not in str(caught.value)


def test_a_file_of_1_gb_is_refused_before_it_is_read(tmp_path: Path, store: BankStore) -> None:
    path = tmp_path / "big.json"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(BankError, match="has 1024 MB; a bank pack has at most 64 MB"):
        import_file(store, path)
    assert MAX_BYTES == 64 * 1024 * 1024


def test_what_is_no_file(tmp_path: Path, store: BankStore) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, message in (("pipe", "is not a file"), (".", "is not a file"), ("none", "cannot be read: No such file")):
        with pytest.raises(BankError, match=message):
            import_file(store, tmp_path / name)


def test_export_replaces_packs_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    write_pack(path, varied())
    write_pack(path, varied()[:2])
    assert len(read_pack(path)) == 2
    path.write_text('{"name": "package"}')
    with pytest.raises(BankError, match="exists and is no pack"):
        write_pack(path, varied())
    assert path.read_text() == '{"name": "package"}'


def public(title: str, removed: str, added: str = "n = 64;", **more: object) -> dict[str, object]:
    diff = f"--- Changes in op_kernel ---\n--- Slow/op_kernel\n+++ Fast/op_kernel\n@@ -1 +1 @@\n-{removed}\n+{added}\n"
    return {"title": title, "description": "d", "bottleneck": "", "code_diff": diff, **more}


def test_the_public_bank_by_path(tmp_path: Path, store: BankStore) -> None:
    """Records invented here in the form of that bank."""
    records = [
        public("Larger tile size", "n = 8;"),
        public("Larger tile size again", "n  =  8;"),
        public("Double buffering", "depth = 1;  // force single buffer"),
        public("Multi-core execution", "cores = 1;"),
        public("Some improvement", "x = 1;"),
        public("Vectorized loop", "a;", "a;"),
        public("Bad \x1b[2J title with tile size", "n = 1;"),
        {**public("Tile size", "n = 2;"), "more": 1},
        "no record",
    ]
    root = tmp_path / "checkout"
    path = root / "skills/ascend-kernel-optimization/scripts/rag_db/optimization_points.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(records))
    report = import_file(store, path)
    assert report.source == "KernelHive/ascendc-skill"
    assert (report.records, report.new, report.known, report.quarantined) == (9, 4, 1, 2)
    assert report.reasons == {"confession": 1, "no-op": 1}
    assert report.left_out == {"malformed": 3, "symptom-undecided": 1}
    assert {motif.symptom.value for motif in store.list()} == {"small-tile", "few-cores"}
    for motif in store.all():
        assert motif.provenance.license == "unknown" and motif.evidence == ()
        assert motif.provenance.source == "KernelHive/ascendc-skill"


@pytest.mark.parametrize(
    ("text", "spdx"),
    [
        ("MIT License\n\nCopyright", "MIT"),
        (" Apache License\n Version 2.0, January 2004", "Apache-2.0"),
        ("mine", "unknown"),
    ],
)
def test_the_licence_is_what_the_checkout_states(tmp_path: Path, store: BankStore, text: str, spdx: str) -> None:
    path = tmp_path / "skills/ascend-kernel-optimization/scripts/rag_db/optimization_points.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps([public("Larger tile size", "n = 8;")]))
    (tmp_path / "LICENSE").write_text(text)
    import_file(store, path)
    assert store.all()[0].provenance.license == spdx
    # A copy elsewhere lies beside some other licence, which says nothing about it.
    copy = BankStore.open(tmp_path / "copy")
    (tmp_path / "points.json").write_text(path.read_text())
    import_file(copy, tmp_path / "points.json")
    assert copy.all()[0].provenance.license == "unknown"


@pytest.mark.parametrize(
    ("title", "bottleneck", "kind"),
    [
        ("Enable double buffering", "", "single-buffer"),
        ("Increase tile size", "single core", "small-tile"),
        ("Use all cores: multi-core split", "tiny tile size", "few-cores"),
        ("Hoist the constant", "", "loop-invariant"),
        ("Improved division", "", "slow-vector-op"),
        ("PIPE_ALL barrier removed", "", "wide-barrier"),
        ("Load balancing", "", "uneven-split"),
        ("Increase tile size and enable double buffering", "", None),
        ("Better code", "it was slow", None),
        ("Better code", "a single core did it all", "few-cores"),
    ],
)
def test_the_text_decides_the_symptom_or_nothing_does(title: str, bottleneck: str, kind: str | None) -> None:
    symptom = symptom_of(title, bottleneck)
    assert (symptom.value if symptom else None) == kind


def test_the_shipped_pack_is_valid_and_sound(tmp_path: Path) -> None:
    motifs = read_pack(SHIPPED)
    assert SHIPPED.read_text(encoding="utf-8") == pack_text(motifs)
    report = import_file(BankStore.open(tmp_path / "bank"), SHIPPED)
    assert report.quarantined == 0
    assert all(motif.provenance.license not in ("", "unknown") for motif in motifs)


def test_the_shipped_motifs_are_there_on_first_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = varied()[:2]
    monkeypatch.setattr(opening, "SHIPPED", tmp_path / "shipped.json")
    write_pack(tmp_path / "shipped.json", [first])
    folder = tmp_path / "bank"
    store = open_bank(folder)
    assert store.all() == [first]
    # Deleted is deleted, until an update ships something else.
    store.delete([first.id])
    assert open_bank(folder).all() == []
    write_pack(tmp_path / "shipped.json", [second])
    assert open_bank(folder, frozen=True).all() == [second]
    # A user's verdict survives an update.
    open_bank(folder).set_status(second.id, Status.QUARANTINED, "not for us")
    write_pack(tmp_path / "shipped.json", [replace(second, title="better")])
    assert [motif.status for motif in open_bank(folder).all()] == [Status.QUARANTINED]


def test_the_default_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert default_folder() == Path("/home/someone/.local/share/ascendopt/bank")
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert default_folder() == Path("/home/someone/.local/share/ascendopt/bank")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert open_bank().folder == tmp_path / "ascendopt" / "bank"


def test_the_shipped_pack_goes_into_the_wheel() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--error-unmatch", SHIPPED.name], cwd=SHIPPED.parent, capture_output=True, timeout=30
    )
    assert listed.returncode == 0
