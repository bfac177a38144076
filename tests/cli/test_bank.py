"""`ascendopt bank` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from bank.bank_samples import PHRASINGS, sample, varied

from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.bank import opening
from ascendopt.bank.packs import read_pack, write_pack
from ascendopt.bank.store import TABLE, BankStore
from ascendopt.cli import main as cli

TILE = SymptomKind.SMALL_TILE


class Shell:
    """Calls `ascendopt bank` in this process, with a bank folder of its own."""

    def __init__(self, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
        self._capsys = capsys
        self.folder = folder
        self.out = self.err = ""

    def __call__(self, *arguments: object) -> int:
        code = cli.main(["bank", *(str(argument) for argument in arguments)])
        self.out, self.err = self._capsys.readouterr()
        return code

    def json(self, *arguments: object) -> Any:
        assert self(*arguments, "--bank", self.folder, "--json") == 0
        assert self.err == "" or self.err.startswith("note: ")
        return json.loads(self.out)


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "80")
    # What is shipped changes with the samples: these tests count their own motifs.
    write_pack(tmp_path / "shipped.json", [])
    monkeypatch.setattr(opening, "SHIPPED", tmp_path / "shipped.json")
    return Shell(capsys, tmp_path / "bank")


@pytest.fixture
def filled(shell: Shell) -> Shell:
    BankStore.open(shell.folder).put(varied())
    return shell


def test_the_first_use_makes_the_users_bank(shell: Shell, tmp_path: Path) -> None:
    assert shell("stats") == 0
    assert "can be retrieved" in shell.out and shell.err == ""
    assert (tmp_path / "data/ascendopt/bank" / f"{TABLE}.lance").is_dir()
    assert not shell.folder.exists()


def test_list_fits_80_columns_and_shows_whole_ids(filled: Shell) -> None:
    assert filled("list", "--bank", filled.folder) == 0
    lines = filled.out.splitlines()
    assert all(len(line) <= 80 for line in lines[:-1])
    assert [line.split()[0] for line in lines[1:15]] == sorted(motif.id for motif in varied())
    assert lines[-1].startswith("14 motifs in ") or "14 motifs in " in filled.out
    assert "2.50x" in filled.out and "1/1" in filled.out and "wide-barrier" in filled.out


def test_list_as_json(filled: Shell) -> None:
    data = filled.json("list", "--symptom", "small-tile")
    assert [motif["symptom"] for motif in data["motifs"]] == ["small-tile"] * 2
    keys = {"id", "title", "symptom", "pipe", "status", "evidence", "provenance", "gain", "quarantine_reason"}
    assert data["motifs"][0].keys() == keys
    assert sorted(motif["gain"] for motif in data["motifs"]) == pytest.approx([1.6, 2.5])


@pytest.mark.parametrize(("text", "kind"), PHRASINGS.items())
def test_search_finds_the_right_motif_first(filled: Shell, text: str, kind: SymptomKind) -> None:
    data = filled.json("search", text)
    assert data["hits"][0]["symptom"] == kind.value
    assert data["hits"][0]["why"][0] == f"symptom {kind.value}"


def test_search_in_words_without_quotes(filled: Shell) -> None:
    assert filled("search", "scalar", "loop", "GetValue", "--limit", "1", "--bank", filled.folder) == 0
    first, second = filled.out.splitlines()
    assert first == "1. Element loop becomes Adds"
    assert second.endswith("symptom scalar-loop; words rank 1; meaning rank 1; 8.00x modelled, held 1 of 1")


def test_show_by_the_beginning_of_an_id(filled: Shell) -> None:
    motif = varied()[0]
    assert filled("show", motif.id[:9], "--bank", filled.folder) == 0
    assert motif.title in filled.out and "pipe.InitBuffer($q, 2, $n)" in filled.out
    assert "120.00 -> 100.00" in filled.out and "modelled" in filled.out and "Apache-2.0" in filled.out
    assert filled.json("show", motif.id)["rewrite"]["operator"] == "buffer-depth"


def test_texts_of_motifs_are_no_markup(shell: Shell) -> None:
    motif = sample(TILE, "A [bold]title[/bold] :smile:", "x[red]", "y[/red]")
    BankStore.open(shell.folder).put(motif)
    for arguments in (("list",), ("show", motif.id), ("search", "title")):
        assert shell(*arguments, "--bank", shell.folder) == 0
        assert ("[bold]title[/bold]" in shell.out and ":smile:" in shell.out) or arguments == ("list",)
        assert "\x1b" not in shell.out


def test_export_and_import(filled: Shell, tmp_path: Path) -> None:
    assert filled.json("export", "pack.json") == {"file": "pack.json", "motifs": 14, "licence_unknown": 0}
    assert len(read_pack(tmp_path / "pack.json")) == 14
    assert filled("import", "pack.json", "--bank", tmp_path / "other") == 0
    assert filled.out.splitlines() == [
        "14 records (pack):",
        "  14 taken: 14 new",
        "  0 motifs in quarantine",
    ]
    data = filled.json("import", "pack.json")
    assert (data["records"], data["taken"], data["new"], data["known"], data["quarantined"]) == (14, 14, 0, 14, 0)


def test_import_of_the_public_form_says_what_became_of_it(shell: Shell, tmp_path: Path) -> None:
    diff = "@@ -1 +1 @@\n-n = 8;  // force single core\n+n = 64;\n"
    record = {"title": "Larger tile size", "description": "", "bottleneck": "", "code_diff": diff}
    (tmp_path / "points.json").write_text(json.dumps([record, {**record, "title": "Something"}]))
    assert shell("import", "points.json", "--bank", shell.folder) == 0
    assert shell.out.splitlines() == [
        "2 records (KernelHive/ascendc-skill):",
        "  1 taken: 1 new",
        "  1 motifs in quarantine (confession 1)",
        "  1 left out (symptom-undecided 1)",
    ]
    assert shell("search", "larger tile", "--bank", shell.folder) == 0
    assert "Nothing in" in shell.out
    assert shell("export", "out.json", "--bank", shell.folder) == 0
    assert shell.err == "note: 1 of the motifs have no known licence; do not pass them on\n"


def test_stats(filled: Shell) -> None:
    data = filled.json("stats")
    assert data["motifs"] == data["retrievable"] == 14
    assert sum(data["symptoms"].values()) == 14 and data["symptoms"]["loop-invariant"] == 2
    assert data["devices"] == {"model (modelled)": 14} and (data["held"], data["failed"]) == (14, 0)
    assert filled("stats", "--bank", filled.folder) == 0
    assert "Attempts: 14 held, 0 failed." in filled.out


def test_lint_is_exit_1_until_it_is_in_quarantine(filled: Shell) -> None:
    assert filled("lint", "--bank", filled.folder) == 0
    bad = sample(TILE, "bad", "n = 8;  // intentionally slow", "n = 64;")
    BankStore.open(filled.folder).put(bad)
    assert filled("lint", "--bank", filled.folder) == 1
    assert filled.out.startswith(f"{bad.id} confession: the removed text confesses: intentionally slow\n")
    assert filled("lint", "--quarantine", "--bank", filled.folder) == 0
    data = filled.json("lint", "--all")
    assert (data["motifs"], data["quarantined"]) == (15, 1)
    assert [(each["id"], each["code"]) for each in data["findings"]] == [(bad.id, "confession")]
    assert filled.json("list", "--all")["motifs"][0].keys() >= {"quarantine_reason"}
    assert len(filled.json("list")["motifs"]) == 14


def test_lint_of_a_pack_leaves_the_bank_alone(shell: Shell, tmp_path: Path) -> None:
    write_pack(tmp_path / "p.json", [sample(TILE, "bad", "f($x)", "f( $x )")])
    assert shell("lint", "p.json", "--bank", shell.folder) == 1
    assert "no-op: the two patterns are the same code" in shell.out
    assert not shell.folder.exists() and not (tmp_path / "data").exists()
    assert shell("lint", "p.json", "--quarantine") == 2


def test_review(filled: Shell) -> None:
    name = varied()[0].id
    assert filled.json("review", name, "--accept")["status"] == "reviewed"
    held = filled.json("review", name, "--quarantine", "only helps on toys")
    assert (held["status"], held["quarantine_reason"]) == ("quarantined", "only helps on toys")
    assert filled.json("review", name, "--reopen")["quarantine_reason"] == ""
    assert filled("review", name, "--accept", "--reopen", "--bank", filled.folder) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing command"),
        (["find"], "No such command 'find'"),
        (["show", "m123"], "has no motif 'm123'; `ascendopt bank list --all` names them"),
        (["show", "\x1b[31m"], r"has no motif '\x1b[31m'"),
        (["show", "m"], "14 motifs begin with 'm'"),
        (["show", ""], "has no motif ''"),
        (["search"], "Missing argument 'TEXT...'"),
        (["search", " "], "say the symptom in words"),
        (["search", "x", "--symptom", "slow"], "there is no symptom 'slow'; there are single-buffer"),
        (["search", "x", "--limit", "0"], "Invalid value for '--limit'"),
        (["import", "none.json"], "none.json cannot be read: No such file or directory."),
        (["import", "."], ". is not a file"),
        (["import", "huge.json"], "huge.json has 1024 MB; a bank pack has at most 64 MB."),
        (["import", "text.json"], "text.json is not JSON"),
        (["import", "escape.json"], r"field 'title' has the control character '\x1b'"),
        (["export", "text.json"], "text.json exists and is no pack"),
        (["export", "none/x.json"], "No such file or directory."),
        (["lint", "text.json"], "text.json is not JSON"),
    ],
)
def test_wrong_requests_are_one_sentence(filled: Shell, tmp_path: Path, arguments: list[str], message: str) -> None:
    with (tmp_path / "huge.json").open("wb") as file:
        file.truncate(1 << 30)
    (tmp_path / "text.json").write_text("hello")
    write_pack(tmp_path / "escape.json", [sample(TILE, "A TITLE", "a", "b")])
    hostile = (tmp_path / "escape.json").read_text().replace("A TITLE", "\\u001b[31m")
    (tmp_path / "escape.json").write_text(hostile)
    more = ["--bank", str(filled.folder)] if arguments and arguments[0] != "find" else []
    assert filled(*arguments, *more) == 2
    assert filled.out == ""
    assert filled.err.startswith("ascendopt: ") and message in filled.err
    assert filled.err.count("\n") == 1 and "\x1b" not in filled.err and "Traceback" not in filled.err


def test_a_corrupt_bank_is_one_sentence_for_every_command(filled: Shell, tmp_path: Path) -> None:
    write_pack(tmp_path / "p.json", varied()[:1])
    for path in (filled.folder / f"{TABLE}.lance").rglob("*"):
        if path.is_file():
            path.write_bytes(b"\0" * 80)
    before = {path: path.read_bytes() for path in filled.folder.rglob("*") if path.is_file()}
    for arguments in (["list"], ["search", "x"], ["stats"], ["lint"], ["import", "p.json"], ["export", "x.json"]):
        assert filled(*arguments, "--bank", filled.folder) == 2
        assert filled.err.startswith(f"ascendopt: bank {filled.folder} is damaged and was left as it is (")
        assert filled.err.count("\n") == 1
    assert {path: path.read_bytes() for path in filled.folder.rglob("*") if path.is_file()} == before
    assert not (tmp_path / "x.json").exists()


def test_a_folder_that_is_no_bank(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/notes.txt").write_text("mine")
    assert shell("list", "--bank", "home") == 2
    assert (
        shell.err == "ascendopt: home is not a bank: it holds 'notes.txt'; give the folder of a bank, or a new one.\n"
    )
