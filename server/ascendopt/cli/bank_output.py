"""How the bank is written to a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ascendopt.bank.hygiene import Fault
from ascendopt.bank.motif import Evidence, Motif, Status
from ascendopt.bank.packs import ImportReport
from ascendopt.bank.retrieval import Hit, attempts, evidence_phrase
from ascendopt.bank.statistics import Statistics

_MOST_LINES = 60
_LEAST_TITLE = 20
_GAP = 2


def print_list(motifs: Sequence[Motif], folder: Path, total: int) -> None:
    """A line a motif; the title takes what room is left."""
    console = _console()
    if motifs:
        table = _table(("id", False), ("symptom", False), ("gain", True), ("held", True), ("title", False))
        for motif in motifs:
            style = "dim" if motif.status is Status.QUARANTINED else ""
            table.add_row(*(Text(cell, style=style) for cell in _list_cells(motif)))
        # The title gives way on a narrow terminal; an id that is cut is of no use.
        widths = [max(len(str(cell)) for cell in (column.header, *column.cells)) for column in table.columns[:-1]]
        for column, width in zip(table.columns, widths, strict=False):
            column.min_width = width
        table.columns[-1].max_width = max(_LEAST_TITLE, console.width - sum(width + _GAP for width in widths))
        console.print(table)
    others = total - len(motifs)
    more = f" ({others} more are not shown; --all shows those in quarantine)" if others else ""
    _line(console, f"{counted(len(motifs), 'motif')} in {folder}{more}.")


def print_hits(hits: Sequence[Hit], folder: Path) -> None:
    """Two lines a hit: what it is, and why it is there."""
    console = _console()
    if not hits:
        _line(console, f"Nothing in {folder} matches; `ascendopt bank stats` says what there is.")
    for number, hit in enumerate(hits, 1):
        _line(console, f"{number}. {hit.motif.title}", "bold")
        _line(console, f"   {hit.motif.id}  {'; '.join(hit.why)}")


def print_motif(motif: Motif) -> None:
    """Everything about one motif."""
    console = _console()
    _line(console, motif.title, "bold")
    _line(console, f"{motif.id}  symptom {motif.symptom.value}, pipe {motif.pipe or '-'}, {motif.status.value}")
    if motif.quarantine_reason:
        _line(console, f"In quarantine: {motif.quarantine_reason}", "yellow")
    if motif.description:
        _line(console, f"\n{motif.description}")
    _print_conditions(console, motif)
    rewrite = motif.rewrite
    if rewrite.operator:
        chosen = ", ".join(f"{name} {value}" for name, value in rewrite.parameters)
        _line(console, f"\nOperator: {rewrite.operator}{f' ({chosen})' if chosen else ''}")
    _block(console, "Before:", rewrite.before)
    _block(console, "After:", rewrite.after)
    _block(console, "Diff:", rewrite.diff)
    _print_evidence(console, motif)
    origin = motif.provenance
    named = ", ".join(text for text in (origin.source, origin.file, origin.date) if text)
    _line(console, f"\nFrom {named or 'an unknown source'}; licence {origin.license or 'unknown'}.")


def print_import(report: ImportReport) -> None:
    """What became of the records of a file."""
    console = _console()
    _line(console, f"{counted(report.records, 'record')} ({report.source}):")
    known = f", {report.known} known already" if report.known else ""
    _line(console, f"  {report.taken} taken: {report.new} new{known}")
    _line(console, f"  {report.quarantined} motifs in quarantine{_listed(report.reasons)}")
    if report.left_out:
        _line(console, f"  {sum(report.left_out.values())} left out{_listed(report.left_out)}")


def print_statistics(numbers: Statistics, folder: Path) -> None:
    """The counts, a block a kind."""
    console = _console()
    _line(console, f"{counted(numbers.motifs, 'motif')} in {folder}, {numbers.retrievable} can be retrieved.")
    blocks = (
        ("Symptoms", numbers.symptoms),
        ("Status", numbers.statuses),
        ("Quarantine", numbers.reasons),
        ("Evidence", numbers.devices),
        ("Licence", numbers.licenses),
    )
    for title, counts in blocks:
        if counts:
            _line(console, f"\n{title}", "bold")
            width = max(len(name) for name in counts)
            for name, count in counts.items():
                _line(console, f"  {name:<{width}}  {count:>5}")
    if numbers.held or numbers.failed:
        _line(console, f"\nAttempts: {numbers.held} held, {numbers.failed} failed.")


def print_lint(
    found: Iterable[tuple[Motif, tuple[Fault, ...]]], total: int, wrong: int, held: int, meanings: Mapping[str, str]
) -> None:
    """A line a fault, then what the codes mean."""
    console = _console()
    seen: dict[str, None] = {}
    for motif, said in found:
        for fault in said:
            seen.setdefault(fault.code)
            _line(console, f"{motif.id} {fault.code}: {fault.reason}")
    for code in seen:
        if code in meanings:
            _line(console, f"{code}: {meanings[code]}", "dim")
    _line(console, f"{counted(total, 'motif')}: {wrong} with a fault can be retrieved, {held} are in quarantine.")


def counted(number: int, noun: str) -> str:
    """``1 motif``, ``2 motifs``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _list_cells(motif: Motif) -> tuple[str, ...]:
    held, failed = attempts(motif)
    measured = (f"{motif.gain:.2f}x", f"{held}/{held + failed}") if motif.evidence else ("-", "-")
    return (motif.id, motif.symptom.value, *measured, motif.title)


def _print_conditions(console: Console, motif: Motif) -> None:
    conditions = motif.conditions
    parts = (
        ("chips", conditions.chips),
        ("dtypes", conditions.dtypes),
        ("needs", conditions.required_facts),
        ("not with", conditions.forbidden_facts),
    )
    named = [f"{name} {', '.join(values)}" for name, values in parts if values]
    if named:
        _line(console, f"\nConditions: {'; '.join(named)}")


def _print_evidence(console: Console, motif: Motif) -> None:
    if not motif.evidence:
        _line(console, "\nEvidence: none.")
        return
    _line(console, f"\nEvidence: {evidence_phrase(motif)}")
    columns = [("device", False), ("chip", False), ("us", True), ("gain", True), ("95 %", True), ("held", True)]
    table = _table(*columns)
    for each in motif.evidence:
        table.add_row(*(Text(cell) for cell in _evidence_cells(each)))
    console.print(table)


def _evidence_cells(evidence: Evidence) -> tuple[str, ...]:
    label = "modelled" if evidence.modelled else "measured"
    low, high = evidence.interval
    return (
        f"{evidence.device} ({label})",
        evidence.soc or "-",
        f"{evidence.before_us:.2f} -> {evidence.after_us:.2f}",
        f"{evidence.gain:.2f}x",
        f"{low:.2f} to {high:.2f}",
        f"{evidence.held}/{evidence.held + evidence.failed}",
    )


def _block(console: Console, title: str, code: str) -> None:
    if not code.strip():
        return
    lines = code.strip("\n").splitlines()
    _line(console, f"\n{title}")
    for line in lines[:_MOST_LINES]:
        _line(console, f"  {line}")
    if len(lines) > _MOST_LINES:
        _line(console, f"  ... {len(lines) - _MOST_LINES} more lines; --json has them all")


def _listed(counts: Mapping[str, int]) -> str:
    return f" ({', '.join(f'{name} {count}' for name, count in counts.items())})" if counts else ""


def _console() -> Console:
    return Console(highlight=False, emoji=False, soft_wrap=False)


def _table(*columns: tuple[str, bool]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    for header, is_number in columns:
        table.add_column(header, justify="right" if is_number else "left", no_wrap=True, overflow="ellipsis")
    return table


def _line(console: Console, text: str, style: str = "") -> None:
    # Text, not str: what a pack says must not be read as markup.
    console.print(Text(text, style=style), soft_wrap=True)
