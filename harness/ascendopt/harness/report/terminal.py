"""The report as text for a terminal or a pipe."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from ascendopt.harness.evaluation import CaseResult
from ascendopt.harness.report.model import EpisodeReport, RangeRow


def render_report(report: EpisodeReport) -> RenderableType:
    """Before/after table, what was checked, what the gain rests on."""
    parts: list[RenderableType] = [before_after(report)]
    parts += [Text(line) for line in summary_lines(report)]
    return Group(*parts)


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
            Text(bound),
            *([f"{row.weight:.3g}"] if report.weighted else []),
        )
    return table


def summary_lines(report: EpisodeReport) -> list[str]:
    """Plain sentences under the table."""
    lines: list[str] = []
    if report.best is not None:
        lines.append(f"{gain_text(report.best.speedup, report.best.interval)} {report.label}: {report.note}")
    elif report.complete:
        lines.append(f"Nothing faster by the margin of {report.margin:.0%} was found.")
    else:
        lines.append("The run is not finished; continue it with --resume.")
    lines.append(
        f"{report.attempts} attempts of {report.budget}, {report.valid} passed all gates, "
        f"{report.free} cost nothing; {_workers(report.workers)}; seed {report.seed}; sandbox: {report.sandbox}."
    )
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
    return lines


def _workers(count: int) -> str:
    return f"{count} workers" if count > 1 else "1 worker"


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
