"""The report as text for a terminal or a pipe."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from ascendopt.harness.evaluation import CaseResult
from ascendopt.harness.executors.base import LOCAL, RAY
from ascendopt.harness.report.constants import Basis
from ascendopt.harness.report.model import LEVELS, EpisodeReport, RangeRow
from ascendopt.harness.report.outcomes import STATES, ReasonGroup, outcomes_of
from ascendopt.harness.report.page import printable
from ascendopt.harness.report.review import review_card


def render_report(report: EpisodeReport) -> RenderableType:
    """Before/after table, what was checked, what the gain rests on."""
    looks = [f"Review: {point.text}" for point in review_card(report) if point.look]
    lines = [headline(report), *figure_lines(report), *summary_lines(report), *looks]
    return Group(before_after(report), *(Text(line) for line in lines))


def explain_rejections(report: EpisodeReport) -> RenderableType:
    """Why trials were rejected, by reason, with the numbers and the genes concerned."""
    table = Table(title="Why trials were rejected", title_justify="left")
    table.add_column("trials", justify="right", no_wrap=True)
    for header in ("gate said", "reason", "at", "changed numbers: rejected (passed)"):
        table.add_column(header)
    groups = outcomes_of(report.trials).reasons
    for group in groups:
        genes = "; ".join(f"{gene.gene} {gene.rejected} ({gene.passed or 'none'})" for gene in group.genes)
        where = ", ".join(group.places[:3]) + (", ..." if len(group.places) > 3 else "")
        cells = (STATES[group.state], _reason(group), where, genes)
        table.add_row(str(group.count), *(Text(printable(cell)) for cell in cells))
    return table if groups else Text("No trial was rejected.")


def _reason(group: ReasonGroup) -> str:
    """With the cases that showed it."""
    return group.reason + (f" [{', '.join(group.cases)}]" if group.cases else "")


def before_after(report: EpisodeReport) -> Table:
    """One row a timed case; every time is labelled modelled or measured."""
    # Text, not str: names come from the workspace and must not be read as markup.
    title = Text(f"{report.operator} on {report.device} ({report.label}), {report.soc}")
    table = Table(title=title, title_justify="left")
    # A case of several dtypes is named after them already.
    named = all(row.name.endswith(f"/{row.dtypes}") for row in report.rows)
    for header in ("case", "shapes") if named else ("case", "shapes", "dtypes"):
        table.add_column(header, no_wrap=True)
    for header in ("before us", "after us", "speed-up [95 %]"):
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    table.add_column("bound by")
    if report.weighted:
        table.add_column("weight", justify="right", no_wrap=True)
    for row in report.rows:
        after = row.after
        bound = row.before.bound
        if after is not None and after.bound != bound:
            bound = f"{bound} -> {after.bound}"
        table.add_row(
            Text(row.name),
            Text(row.shapes),
            *([] if named else [Text(row.dtypes)]),
            microseconds(row.before),
            microseconds(after) if after else "-",
            gain_text(row.speedup, row.interval),
            str(row.samples or "-"),
            Text(bound),
            *([f"{row.weight:.3g}"] if report.weighted else []),
        )
    return table


def headline(report: EpisodeReport) -> str:
    """What came of the run, in one sentence."""
    if report.best is not None:
        return f"{gain_text(report.best.speedup, report.best.interval)} {report.label}: {report.note}"
    if report.complete and report.modelled:
        return f"Nothing faster by the margin of {report.margin * 100:g} % was found."
    if report.complete:
        return "Nothing was found that is faster beyond the noise."
    return "The run is not finished; continue it with --resume."


def figure_lines(report: EpisodeReport) -> list[str]:
    """What the page shows as tables: what became of the trials, and fast_p."""
    lines: list[str] = []
    counted = outcomes_of(report.trials).states
    if counted:
        lines.append(f"Trials: {', '.join(f'{count} {STATES[state]}' for state, count in counted.items())}.")
    if report.paid:
        shares = ", ".join(f"{level}x {report.fast(level):.0%}" for level in LEVELS)
        lines.append(f"Attempts that are correct and faster than p (fast_p): {shares}.")
    return lines


def summary_lines(report: EpisodeReport) -> list[str]:
    """Plain sentences under the table: what the run cost, what was checked, what the gain rests on."""
    where = f"{_workers(report.workers, report.executor)}; seed {report.seed}; sandbox: {report.sandbox}"
    lines = [
        f"{report.attempts} attempts of {report.budget}{_ended(report.ended_by)}, {report.valid} passed all gates, "
        f"{report.free} cost nothing; {where}."
    ]
    against = f"the reference {report.reference}" if report.reference else "the original operator"
    lines.append(f"Values agree with {against} (relative error: {'; '.join(report.tolerances)}).")
    if report.weighted:
        lines.append("The speed-up is the geometric mean over the timed cases by their weights.")
    lines += [range_line(row) for row in report.ranges]
    if report.unseen is not None:
        unseen = gain_text(report.unseen.speedup, report.unseen.interval)
        lines.append(f"Unseen shapes: {len(report.unseen_names)} tried, all correct, {unseen}.")
    elif report.best is not None:
        lines.append("Unseen shapes: none could be derived from this workload.")
    if report.modelled:
        lines.append(f"Share of the modelled time that rests on guessed constants: {report.guessed_share:.0%}.")
    if report.noise_floor is not None:
        lines.append(f"Noise floor: {report.noise_floor:.2%} (the original measured against itself).")
    if report.basis is not None:
        lines.append(basis_line(report.basis))
    return lines


def _ended(by: str) -> str:
    """What ended the search before its attempts were spent."""
    sentences = {
        "seconds": ", then its time was up",
        "tokens": ", then its tokens were spent",
        "ideas": ", then there was nothing left to try",
        "repeats": ", then only known programs came",
        "model": ", then the model gave no more programs",
    }
    return sentences.get(by, "")


def _workers(count: int, executor: str) -> str:
    workers = "workers" if count > 1 else "worker"
    known = {LOCAL: f"{count} local {workers}", RAY: f"{count} {workers} of a Ray cluster"}
    return known.get(executor, f"{count} {workers}")


def basis_line(basis: Basis) -> str:
    """Which constants of the model move the gain."""
    spread = f"Over the parameter sets the gain varies by {basis.spread:.1%}"
    if not basis.constants:
        return f"{spread}; no single constant stands out."
    named = ", ".join(f"{one.name} ({one.source}, {one.share:.0%} of the variance)" for one in basis.constants)
    return f"{spread}; it rests on {named}."


def range_line(row: RangeRow) -> str:
    """Over which members of its ranges a case holds."""
    members = f"{row.correct} of {row.cases}" if row.correct < row.cases else f"all {row.cases}"
    return f"Case {row.name} ({row.ranges}) holds on {members} sampled cases: {'; '.join(row.members)}."


def microseconds(case: CaseResult) -> str:
    """A time with three significant digits or two decimals."""
    if case.latency_us is None:
        return "-"
    return f"{case.latency_us:.2f}" if case.latency_us < 1000 else f"{case.latency_us:.0f}"


def gain_text(speedup: float | None, interval: tuple[float, float] | None) -> str:
    """``1.42x [1.38, 1.45]``."""
    if speedup is None:
        return "-"
    spread = f" [{interval[0]:.2f}, {interval[1]:.2f}]" if interval else ""
    return f"{speedup:.2f}x{spread}"


def print_report(report: EpisodeReport, console: Console) -> None:
    """Write the report to ``console``."""
    console.print(render_report(report))
