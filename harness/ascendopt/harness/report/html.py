"""The report of a run as one self-contained HTML file."""

from __future__ import annotations

from dataclasses import dataclass

from ascendopt.harness.evaluation import CaseResult
from ascendopt.harness.report.charts import Axes, Chart, Line, Mark, reached
from ascendopt.harness.report.highlight import patch_lines
from ascendopt.harness.report.model import LEVELS, EpisodeReport
from ascendopt.harness.report.outcomes import STATES, outcomes_of
from ascendopt.harness.report.page import printable, render_page
from ascendopt.harness.report.review import review_card
from ascendopt.harness.report.terminal import gain_text, headline, microseconds, summary_lines


@dataclass(frozen=True)
class Bar:
    """Busy time of one pipe: microseconds and percent of the longest bar of its case."""

    pipe: str
    side: str
    microseconds: float
    percent: float


def render_html(report: EpisodeReport) -> str:
    """The whole page."""
    return render_page(
        "report.html.j2",
        {"gain": _gain, "us": microseconds},
        report=report,
        headline=headline(report),
        lines=summary_lines(report),
        curve=_curve(report),
        distribution=_distribution(report),
        levels=LEVELS,
        outcomes=outcomes_of(report.trials),
        states=STATES,
        bars={row.name: _bars(row.before, row.after) for row in report.rows},
        patch=patch_lines(printable(report.patch).rstrip("\n")) if report.patch else [],
        review=review_card(report),
    )


def _gain(pair: tuple[float | None, tuple[float, float] | None]) -> str:
    return gain_text(*pair)


def _curve(report: EpisodeReport) -> Chart | None:
    paid = report.paid
    if not paid:
        return None
    highest = max([1.0, *(trial.best for trial in paid), *(trial.speedup or 0.0 for trial in paid)])
    span = max(report.budget, len(paid))
    axes = Axes(0.0, span, 0.0, 1.0 + (highest - 1.0) * 1.1 + 0.05)
    points = [(0.0, 1.0), *((float(trial.attempt or 0), trial.best) for trial in paid)]
    marks = tuple(
        Mark(
            axes.x(trial.attempt or 0),
            axes.y(trial.speedup or 0.0),
            "ok" if trial.state == "ok" else "bad",
            f"{trial.attempt}: {trial.note} - {gain_text(trial.speedup, trial.interval)} {trial.reason}".strip(),
        )
        for trial in paid
    )
    line = Line("best so far", axes.steps(points))
    label = "Best speed-up so far by attempt"
    return Chart(label, "attempt", "speed-up", (line,), axes.x_ticks(), axes.y_ticks("x"), marks)


def _distribution(report: EpisodeReport) -> Chart | None:
    speedups = [trial.speedup or 0.0 for trial in report.paid]
    if len(speedups) < 2:
        return None
    return reached({"attempts": speedups}, "Share of the attempts by speed-up", "attempts at least as fast")


def _bars(before: CaseResult, after: CaseResult | None) -> list[Bar]:
    sides = [("before", before)] + ([("after", after)] if after else [])
    # Pipes that did nothing on either side would only take room.
    pipes = sorted({pipe for _, case in sides for pipe, time in case.pipes_us.items() if time > 0})
    longest = max((time for _, case in sides for time in case.pipes_us.values()), default=0.0) or 1.0
    bars: list[Bar] = []
    for pipe in pipes:
        for side, case in sides:
            time = case.pipes_us.get(pipe, 0.0)
            bars.append(Bar(pipe, side, time, round(100.0 * time / longest, 1)))
    return bars
