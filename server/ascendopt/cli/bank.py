"""`ascendopt bank`: the experiences that searches retrieve from."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, cast

import typer

from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.bank.codec import motif_to_json
from ascendopt.bank.hygiene import Fault, codes, faults, quarantine_codes, screened
from ascendopt.bank.motif import Motif, Status
from ascendopt.bank.opening import open_bank
from ascendopt.bank.packs import import_file, read_pack, write_pack
from ascendopt.bank.retrieval import Query, retrieve
from ascendopt.bank.statistics import statistics
from ascendopt.bank.store import BankStore, Filter
from ascendopt.cli import bank_output
from ascendopt.cli.main import EXIT_FINDINGS, EXIT_OK, UserError
from ascendopt.cli.options import Json

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="The bank of experiences: what made kernels faster, measured, found by symptom.",
)
Bank = Annotated[
    Path | None,
    typer.Option("--bank", metavar="DIR", help="folder of the bank; without it, your own in the data folder"),
]
Symptom = Annotated[str | None, typer.Option("--symptom", metavar="KIND", help="only this symptom, as in small-tile")]
File = Annotated[Path, typer.Argument(metavar="FILE")]
Identity = Annotated[str, typer.Argument(metavar="ID", help="id of a motif, or its beginning")]


@app.command("list")
def list_motifs(
    bank: Bank = None,
    symptom: Symptom = None,
    every: Annotated[bool, typer.Option("--all", help="those in quarantine too")] = False,
    as_json: Json = False,
) -> int:
    """The motifs of the bank, one a line."""
    store = open_bank(bank)
    motifs = store.list(Filter(symptom=_kind(symptom), quarantined=every))
    if as_json:
        return _json({"bank": str(store.folder), "motifs": [_summary(motif) for motif in motifs]})
    bank_output.print_list(motifs, store.folder, store.count())
    return EXIT_OK


@app.command()
def show(identity: Identity, bank: Bank = None, as_json: Json = False) -> int:
    """One motif with its rewrite, evidence and provenance."""
    motif = _find(open_bank(bank), identity)
    if as_json:
        return _json(motif_to_json(motif))
    bank_output.print_motif(motif)
    return EXIT_OK


@app.command()
def search(
    text: Annotated[list[str], typer.Argument(metavar="TEXT...", help="the symptom in words")],
    bank: Bank = None,
    symptom: Symptom = None,
    soc: Annotated[str, typer.Option("--soc", help="chip, for example Ascend910B2")] = "",
    dtype: Annotated[list[str] | None, typer.Option("--dtype", help="dtype, for example float16")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=100, help="how many at most")] = 5,
    as_json: Json = False,
) -> int:
    """The motifs that treated a symptom, best first, and why they are where they are."""
    words = " ".join(text).strip()
    if not words:
        raise UserError('say the symptom in words, as in ascendopt bank search "vector waits for copies"')
    query = Query(text=words, symptom=_kind(symptom), soc=soc, dtypes=tuple(dtype or ()))
    store = open_bank(bank)
    hits = retrieve(store, query, limit)
    if as_json:
        rows = [{**_summary(hit.motif), "score": round(hit.score, 4), "why": list(hit.why)} for hit in hits]
        return _json({"bank": str(store.folder), "query": words, "hits": rows})
    bank_output.print_hits(hits, store.folder)
    return EXIT_OK


@app.command("import")
def import_pack(file: File, bank: Bank = None, as_json: Json = False) -> int:
    """Take a pack, or the JSON file of the public bank KernelHive/ascendc-skill, into the bank."""
    report = import_file(open_bank(bank), file)
    if as_json:
        return _json(
            {
                "file": str(file),
                "source": report.source,
                "records": report.records,
                "taken": report.taken,
                "new": report.new,
                "known": report.known,
                "quarantined": report.quarantined,
                "reasons": dict(report.reasons),
                "left_out": dict(report.left_out),
            }
        )
    bank_output.print_import(report)
    return EXIT_OK


@app.command()
def export(file: File, bank: Bank = None, symptom: Symptom = None, as_json: Json = False) -> int:
    """Write the bank as one pack."""
    store = open_bank(bank)
    motifs = store.list(Filter(symptom=_kind(symptom), quarantined=True))
    write_pack(file, motifs)
    unknown = sum(motif.provenance.license in ("", "unknown") for motif in motifs)
    if unknown:
        sys.stderr.write(f"note: {unknown} of the motifs have no known licence; do not pass them on\n")
    if as_json:
        return _json({"file": str(file), "motifs": len(motifs), "licence_unknown": unknown})
    sys.stdout.write(f"{file}: {bank_output.counted(len(motifs), 'motif')}\n")
    return EXIT_OK


@app.command()
def stats(bank: Bank = None, as_json: Json = False) -> int:
    """How many motifs there are, by symptom, status, device and licence."""
    store = open_bank(bank)
    numbers = statistics(store.all())
    if as_json:
        return _json({"bank": str(store.folder), **numbers.to_json()})
    bank_output.print_statistics(numbers, store.folder)
    return EXIT_OK


@app.command()
def lint(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="a pack; without it, the bank")] = None,
    bank: Bank = None,
    quarantine: Annotated[bool, typer.Option("--quarantine", help="put what is found into quarantine")] = False,
    every: Annotated[bool, typer.Option("--all", help="those in quarantine too")] = False,
    as_json: Json = False,
) -> int:
    """Motifs that teach nothing: confessed sabotage, pure waste, no-ops. Exit code 1 if one could be retrieved."""
    if file is not None and quarantine:
        raise UserError("--quarantine changes the bank, not a file: import the file, then lint the bank")
    store = open_bank(bank) if file is None else None
    motifs = store.all() if store is not None else read_pack(cast(Path, file))
    found = [(motif, faults(motif)) for motif in motifs]
    wrong = [(motif, said) for motif, said in found if said and motif.status is not Status.QUARANTINED]
    held = [(motif, said or _said(motif)) for motif, said in found if motif.status is Status.QUARANTINED]
    if quarantine and store is not None:
        store.put([screened(motif) for motif, _ in wrong])
        held, wrong = held + wrong, []
    shown = wrong + held if every or quarantine else wrong
    if as_json:
        _json(
            {
                "motifs": len(motifs),
                "quarantined": len(held),
                "findings": [
                    {"id": motif.id, "title": motif.title, "code": fault.code, "reason": fault.reason}
                    for motif, said in shown
                    for fault in said
                ],
            }
        )
    else:
        bank_output.print_lint(shown, len(motifs), len(wrong), len(held), codes())
    return EXIT_FINDINGS if wrong else EXIT_OK


@app.command()
def review(
    identity: Identity,
    accept: Annotated[bool, typer.Option("--accept", help="looked at, and good")] = False,
    quarantine: Annotated[str | None, typer.Option("--quarantine", metavar="WHY", help="never retrieve it")] = None,
    reopen: Annotated[bool, typer.Option("--reopen", help="a candidate again")] = False,
    bank: Bank = None,
    as_json: Json = False,
) -> int:
    """Say what became of looking at a motif: --accept, --quarantine WHY or --reopen. Without one, it is shown."""
    if accept + reopen + (quarantine is not None) > 1:
        raise UserError("choose one of --accept, --quarantine and --reopen")
    store = open_bank(bank)
    motif = _find(store, identity)
    if quarantine is not None:
        motif = store.set_status(motif.id, Status.QUARANTINED, quarantine)
    elif accept or reopen:
        motif = store.set_status(motif.id, Status.REVIEWED if accept else Status.CANDIDATE)
    if as_json:
        return _json(motif_to_json(motif))
    bank_output.print_motif(motif)
    return EXIT_OK


def _find(store: BankStore, identity: str) -> Motif:
    """The motif whose id begins so, if it is the only one."""
    found = [motif for motif in store.all() if motif.id.startswith(identity)] if identity else []
    if len(found) == 1:
        return found[0]
    if not found:
        raise UserError(f"the bank {store.folder} has no motif {identity!a}; `ascendopt bank list --all` names them")
    raise UserError(f"{len(found)} motifs begin with {identity!a}: {', '.join(motif.id for motif in found[:3])} ...")


def _kind(name: str | None) -> SymptomKind | None:
    if name is None:
        return None
    try:
        return SymptomKind(name)
    except ValueError:
        kinds = ", ".join(kind.value for kind in SymptomKind)
        raise UserError(f"there is no symptom {name!a}; there are {kinds}") from None


def _said(motif: Motif) -> tuple[Fault, ...]:
    return tuple(Fault(code, motif.quarantine_reason) for code in quarantine_codes(motif)[:1])


def _summary(motif: Motif) -> dict[str, object]:
    value = motif_to_json(motif)
    wanted = ("id", "title", "symptom", "pipe", "status", "evidence", "provenance", "quarantine_reason")
    return {**{name: value[name] for name in wanted}, "gain": motif.gain}


def _json(value: dict[str, object] | Sequence[object]) -> int:
    json.dump(value, sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")
    return EXIT_OK
