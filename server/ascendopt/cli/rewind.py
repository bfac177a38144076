"""`ascendopt rewind`: what an operator's own optimisations teach."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ascendopt.bank.hygiene import screened
from ascendopt.bank.merging import Counting
from ascendopt.bank.opening import open_bank
from ascendopt.cli.episodes import OutOption, ResumeOption, SeedOption, interruptible, output_folder, terminal_token
from ascendopt.cli.experience import BankOption
from ascendopt.cli.main import EXIT_CANCELLED, EXIT_OK, UserError
from ascendopt.cli.options import DeviceName, Json, Soc
from ascendopt.cli.progress import Progress, preparation
from ascendopt.harness.cancelling import Cancelled
from ascendopt.harness.journal.events import read_events
from ascendopt.harness.opening import Devices
from ascendopt.harness.rewind.rewind import RewindEvent, RewindResult, RewindSettings, rewind

DEFAULT_BUDGET = 20


def command(
    operators: Annotated[list[Path], typer.Argument(metavar="OPERATOR...", help="strong operators to learn from")],
    budget: Annotated[int, typer.Option("--budget", min=1, help="attempts for each operator")] = DEFAULT_BUDGET,
    seed: SeedOption = 0,
    bank: BankOption = None,
    out: OutOption = None,
    resume: ResumeOption = False,
    device: DeviceName = "model",
    soc: Soc = None,
    as_json: Json = False,
) -> int:
    """Take one optimisation at a time out of strong operators; what gets slower beyond noise becomes a motif of the
    bank: the symptom, the inverse edit, the measurement.

    Exit code 2 when the request is wrong, 130 when cancelled.
    """
    devices = Devices(device)
    with preparation() as building:
        targets = [devices.open(operator, soc, None, building)[0] for operator in operators]
    if len({target.soc for target in targets}) > 1:
        raise UserError("the operators name different chips; choose one with --soc.")
    name = targets[0].sources.name if len(targets) == 1 else "rewind"
    folder = output_folder(out, name, resume)
    date = str(read_events(folder)[0]["date"]) if resume else datetime.date.today().isoformat()
    settings = RewindSettings(budget, seed, date, importlib.metadata.version("ascendopt"))
    store = open_bank(bank)
    where = devices.on(targets[0].soc)
    token = terminal_token()
    try:
        with Progress(budget * len(targets), "rewind") as progress, interruptible(token):
            result = rewind(
                targets,
                where,
                folder,
                settings,
                resume=resume,
                cancel=token,
                on_removal=lambda event: progress.advance(_line(event)),
                # A resumed run gives its motifs again: the same measurement, not another one.
                keep=lambda motif: store.put(screened(motif), counting=Counting.SAME),
            )
    except Cancelled:
        named = " ".join(map(str, operators))
        sys.stderr.write(f"cancelled; continue with: ascendopt rewind {named} --out {folder} --resume\n")
        return EXIT_CANCELLED
    finally:
        devices.close()
    if as_json:
        json.dump(result.to_json(), sys.stdout, indent=1)
        sys.stdout.write("\n")
    else:
        _print(result, folder)
    return EXIT_OK


def _line(event: RewindEvent) -> str:
    slowdown = f"{event.slowdown:.2f}x slower" if event.slowdown else "failed"
    verdict = "kept" if event.kept else event.reason
    return f"{event.operator}: {event.title}: {slowdown}, {verdict}"


def _print(result: RewindResult, folder: Path) -> None:
    console = Console(highlight=False, emoji=False)
    table = Table(title=Text(f"{len(result.motifs)} motifs of {result.attempts} removals"), title_justify="left")
    table.add_column("motif", no_wrap=True)
    table.add_column("symptom", no_wrap=True, min_width=13)
    table.add_column("slower", justify="right", no_wrap=True, min_width=7)
    table.add_column("from", no_wrap=True, min_width=10)
    for motif, slowdown in result.motifs:
        cells = (motif.title, motif.symptom.value, f"{slowdown:.2f}x", motif.provenance.source)
        table.add_row(*map(Text, cells))
    console.print(table)
    for name, reason in result.skipped.items():
        console.print(f"{name}: nothing learnt, {reason}", markup=False)
    console.print(f"Journal: {folder / 'journal.jsonl'}", markup=False, soft_wrap=True)
