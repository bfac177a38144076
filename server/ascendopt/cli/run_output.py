"""How `ascendopt run` shows its results: the table, what is remarkable, and the JSON of the contract."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ascendopt.cli.roofline import verdict
from ascendopt.harness.devices.base import Capabilities
from ascendopt.harness.evaluation import TIME_DIGITS, Evaluation, State
from ascendopt.harness.gates.profile import geometric_mean
from ascendopt.harness.inspection import CaseReport
from ascendopt.harness.report.model import range_rows
from ascendopt.harness.report.terminal import range_line


@dataclass(frozen=True)
class Heading:
    """What the cases belong to; ``origin`` says where they came from."""

    operator: str
    soc: str
    origin: str
    notes: tuple[str, ...] = ()


def run_json(heading: Heading, device: Capabilities, reports: Sequence[CaseReport]) -> dict[str, object]:
    """The contract of ``run --json``."""
    return {
        "operator": heading.operator,
        "device": device.name,
        "modelled": device.modelled,
        "soc": heading.soc,
        "workload": heading.origin,
        "notes": list(heading.notes),
        "latency_us": mean_latency(reports),
        "cases": [report.to_json() for report in reports],
    }


def print_run(heading: Heading, device: Capabilities, reports: Sequence[CaseReport]) -> None:
    """The table and the remarks below it."""
    console = Console(highlight=False, emoji=False)
    label = "modelled" if device.modelled else "measured"
    title = f"{heading.operator} on {device.name} ({label}), {heading.soc}"
    table = Table(title=Text(title), title_justify="left")
    columns = _COLUMNS if console.width >= WIDE else tuple(column for column in _COLUMNS if column.always)
    for column in columns:
        justify = "right" if column.number else "left"
        table.add_column(column.header, justify=justify, no_wrap=True)
    for report in reports:
        # Text, not str: names come from the workspace and must not be read as markup.
        table.add_row(*(Text(column.cell(report)) for column in columns))
    console.print(table)
    for report in reports:
        if (sentence := verdict(report)) is not None:
            console.print(f"{report.case.name}: {sentence}.", markup=False)
    for line in _range_lines(reports):
        console.print(line, markup=False)
    if (mean := mean_latency(reports)) is not None:
        timed = sum(not report.case.correctness_only for report in reports)
        console.print(f"Geometric mean of {timed} timed cases, weighted: {mean:.2f} us ({label}).", markup=False)
    _print_remarks(console, reports)
    for note in heading.notes:
        console.print(f"Note: {note}.", markup=False)
    console.print(f"Workload: {heading.origin}. Sandbox: {device.sandbox}.", markup=False)


def mean_latency(reports: Sequence[CaseReport]) -> float | None:
    """The objective of a search, microseconds: the geometric mean by weight over the cases that are timed; None where
    one of them has no time or there is none."""
    timed = [report for report in reports if not report.case.correctness_only]
    times = [report.result.latency_us for report in timed if report.result.latency_us is not None]
    if not times or len(times) < len(timed):
        return None
    return round(geometric_mean(times, [report.case.weight for report in timed]), TIME_DIGITS)


def _range_lines(reports: Sequence[CaseReport]) -> list[str]:
    merged = Evaluation(State.OK, (), tuple(report.result for report in reports if report.evaluation.ok))
    return [range_line(row) for row in range_rows([report.case for report in reports], merged)]


def _print_remarks(console: Console, reports: Sequence[CaseReport]) -> None:
    """Failures, warnings and doubts; what several cases say at one place is said once."""
    cases: dict[tuple[str, str], list[str]] = {}
    texts: dict[tuple[str, str], str] = {}

    def remark(kind: str, place: str, text: str, case: str) -> None:
        # One place in the source says the same with other numbers in each case.
        key = (kind, place or text)
        texts.setdefault(key, text)
        cases.setdefault(key, []).append(case)

    for report in reports:
        evaluation, name = report.evaluation, report.case.name
        if not evaluation.ok:
            failure = evaluation.failure
            place = f"{failure.file}:{failure.line}: " if failure and failure.file and failure.line else ""
            text = failure.reason if failure else ""
            remark("failed", place, text.removeprefix(f"case {name}: ").removeprefix(f"case {name}, "), name)
        for violation in report.result.violations:
            if violation.severity != "error":
                place = f"{violation.file}:{violation.line}: " if violation.file else ""
                remark(violation.severity, place, violation.message, name)
        for note in evaluation.notes:
            remark("note", note.rpartition("; ")[2], note, name)
    for (kind, place), text in texts.items():
        named = cases[(kind, place)]
        more = {1: "", 2: " and another case"}.get(len(named), f" and {len(named) - 1} more cases")
        where = place if place.endswith(": ") else ""
        style = {"failed": "red", "doubt": "yellow", "warning": "yellow"}.get(kind)
        console.print(f"{kind}: {where}{text} [{named[0]}{more}]", style=style, markup=False)


def _shapes(report: CaseReport) -> str:
    shapes = ["x".join(map(str, shape)) for spec in report.case.inputs for shape in spec.shapes]
    unique = list(dict.fromkeys(shapes))
    return ", ".join(unique[:2]) + (" ..." if len(unique) > 2 else "")


def _verdict(report: CaseReport) -> str:
    if report.correct and report.evaluation.as_meant:
        return "doubt"
    return {True: "yes", False: "NO", None: "not checked"}[report.correct]


def _error(report: CaseReport) -> str:
    error = report.result.max_rel_error
    return "-" if error is None or report.correct is None else f"{error:.2g}"


def _pipes(report: CaseReport) -> str:
    times = report.result.pipes_us.items()
    return ", ".join(f"{pipe} {time:.2f}" for pipe, time in times if time) or "-"


def _number(value: float | None, digits: int = 0) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


@dataclass(frozen=True)
class _Column:
    """``always``: also on a narrow terminal."""

    header: str
    cell: Callable[[CaseReport], str]
    number: bool = False
    always: bool = True


WIDE = 130
_COLUMNS = (
    _Column("case", lambda report: report.case.name),
    _Column("shapes", _shapes),
    _Column("correct", _verdict),
    _Column("max error", _error, number=True),
    _Column("us", lambda report: _number(report.result.latency_us, 2), number=True),
    _Column("bound", lambda report: report.result.bound or "-"),
    _Column("UB bytes", lambda report: _number(report.result.ub_bytes), number=True, always=False),
    _Column("cores", lambda report: _number(report.result.block_dim), number=True, always=False),
    _Column("pipes, us", _pipes, always=False),
)
