"""The bench as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ascendopt.harness.bench.methods import DESCRIPTIONS
from ascendopt.harness.bench.metrics import Comparison, MethodMetrics
from ascendopt.harness.report.charts import Axes, Chart, Line, reached
from ascendopt.harness.report.model import LEVELS, EpisodeReport
from ascendopt.harness.report.outcomes import STATES
from ascendopt.harness.report.page import render_page

# By method: all its runs.
Runs = Mapping[str, Sequence[EpisodeReport]]


def render_bench(
    metrics: Mapping[str, MethodMetrics],
    compared: Sequence[Comparison],
    left_out: Mapping[str, str],
    runs: Runs,
    budget: int,
    seeds: Sequence[int],
) -> str:
    """The page. Device and chip are the same for all ``runs``."""
    some = next((report for group in runs.values() for report in group), None)
    groups = {name: [value for values in one.runs.values() for value in values] for name, one in metrics.items()}
    label = "Share of the runs by speed-up"
    return render_page(
        "bench.html.j2",
        {},
        metrics=metrics,
        descriptions=DESCRIPTIONS,
        levels=LEVELS,
        operators=sorted({name for one in metrics.values() for name in one.runs}),
        compared=compared,
        left_out=left_out,
        some=some,
        budget=budget,
        seeds=seeds,
        curve=_curve(metrics, budget) if metrics else None,
        distribution=reached(groups, label, "runs at least as fast") if metrics else None,
        states=STATES,
        outcomes={name: _states(runs.get(name, ())) for name in metrics},
    )


def _curve(metrics: Mapping[str, MethodMetrics], budget: int) -> Chart:
    top = max([1.05, *(high for one in metrics.values() for _, high in one.band)])
    axes = Axes(0.0, budget, 1.0, 1.0 + (top - 1.0) * 1.05)
    lines = [Line(name, axes.polyline(one.curve), _band(one, axes)) for name, one in metrics.items()]
    label = "Geometric mean of the best so far by attempt"
    return Chart(label, "attempt", "geometric mean", tuple(lines), axes.x_ticks(), axes.y_ticks("x"))


def _band(one: MethodMetrics, axes: Axes) -> str:
    attempts = [attempt for attempt, _ in one.curve]
    lower = [(attempt, low) for attempt, (low, _) in zip(attempts, one.band, strict=True)]
    upper = [(attempt, high) for attempt, (_, high) in zip(attempts, one.band, strict=True)]
    return axes.outline(lower, upper)


def _states(runs: Sequence[EpisodeReport]) -> dict[str, int]:
    """Trials of all runs of a method by state."""
    states = [trial.state for report in runs for trial in report.trials]
    return {state: states.count(state) for state in STATES}
