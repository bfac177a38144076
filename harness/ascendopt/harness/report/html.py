"""The report as one self-contained HTML file: no script, no network, light and dark."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

from jinja2 import Environment, select_autoescape

from ascendopt.harness.evaluation import CaseResult
from ascendopt.harness.report.model import EpisodeReport
from ascendopt.harness.report.terminal import gain_text, microseconds, summary_lines

WIDTH, HEIGHT = 720, 240
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 14, 34


@dataclass(frozen=True)
class Mark:
    """A point of the curve: pixel position, state, and a text for its tooltip."""

    x: float
    y: float
    state: str
    title: str


@dataclass(frozen=True)
class Tick:
    """A labelled position on an axis, in pixels."""

    at: float
    label: str


@dataclass(frozen=True)
class Curve:
    """Best speed-up so far over attempts, as an SVG path with marks and ticks, in pixels."""

    path: str
    marks: tuple[Mark, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]


@dataclass(frozen=True)
class Bar:
    """Busy time of one pipe: microseconds and percent of the longest bar of its case."""

    pipe: str
    side: str
    microseconds: float
    percent: float


def render_html(report: EpisodeReport) -> str:
    """The whole page."""
    source = files("ascendopt.harness.report").joinpath("templates/report.html.j2").read_text("utf-8")
    environment = Environment(autoescape=select_autoescape(default=True, default_for_string=True))
    environment.filters["gain"] = _gain
    environment.filters["us"] = microseconds
    return environment.from_string(source).render(
        report=report,
        lines=summary_lines(report),
        curve=_curve(report),
        bars={row.name: _bars(row.before, row.after) for row in report.rows},
        patch=[(_line_class(line), line) for line in _printable(report.patch).split("\n")],
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=WIDTH - RIGHT,
        top=TOP,
        bottom=HEIGHT - BOTTOM,
    )


def _gain(pair: tuple[float | None, tuple[float, float] | None]) -> str:
    return gain_text(*pair)


def _printable(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _line_class(line: str) -> str:
    if line.startswith(("diff ", "--- ", "+++ ", "new file")):
        return "file"
    return {"+": "add", "-": "del", "@": "hunk"}.get(line[:1], "")


def _curve(report: EpisodeReport) -> Curve | None:
    paid = [trial for trial in report.trials if trial.attempt is not None]
    if not paid:
        return None
    highest = max([1.0, *(trial.best for trial in paid), *(trial.speedup or 0.0 for trial in paid)])
    top = 1.0 + (highest - 1.0) * 1.1 + 0.05
    span = max(report.budget, len(paid))

    def x(attempt: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * attempt / span, 1)

    def y(speedup: float) -> float:
        share = min(max(speedup / top, 0.0), 1.0)
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share, 1)

    path = [f"M{x(0)} {y(1.0)}"]
    marks: list[Mark] = []
    for trial in paid:
        attempt = trial.attempt or 0
        path.append(f"H{x(attempt)}V{y(trial.best)}")
        title = f"{attempt}: {trial.note} - {gain_text(trial.speedup, trial.interval)} {trial.reason}".strip()
        marks.append(Mark(x(attempt), y(trial.speedup or 0.0), trial.state, title))
    step = max(1, round(span / 6))
    x_ticks = tuple(Tick(x(n), str(n)) for n in range(0, span + 1, step))
    y_ticks = tuple(Tick(y(v), f"{v:.2g}x") for v in _levels(top))
    return Curve("".join(path), tuple(marks), x_ticks, y_ticks)


def _levels(top: float) -> list[float]:
    step = next(size for size in (0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0, 1e9) if top / size <= 6)
    return [step * index for index in range(int(top / step) + 1)]


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
