"""The bench as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files

from jinja2 import Environment, select_autoescape

from ascendopt.harness.bench.methods import DESCRIPTIONS
from ascendopt.harness.bench.metrics import LEVELS, Comparison, MethodMetrics
from ascendopt.harness.report.model import EpisodeReport

WIDTH, HEIGHT = 760, 280
LEFT, RIGHT, TOP, BOTTOM = 48, 12, 12, 28
COLOURS = ("#0b62b8", "#1a7f37", "#9a6700", "#8250df", "#bc4c00", "#57606a", "#d1242f")


def render_bench(
    metrics: Mapping[str, MethodMetrics],
    compared: Sequence[Comparison],
    left_out: Mapping[str, str],
    some: EpisodeReport | None,
    budget: int,
    seeds: Sequence[int],
) -> str:
    """The page. ``some`` is any of the episodes: device and chip are the same for all."""
    source = files("ascendopt.harness.bench").joinpath("templates/bench.html.j2").read_text("utf-8")
    environment = Environment(autoescape=select_autoescape(default=True, default_for_string=True))
    operators = sorted({name for one in metrics.values() for name in one.speedups})
    top = max([1.05, *(high for one in metrics.values() for _, high in one.band)]) * 1.02
    return environment.from_string(source).render(
        metrics=metrics,
        descriptions=DESCRIPTIONS,
        levels=LEVELS,
        operators=operators,
        left_out=left_out,
        some=some,
        budget=budget,
        seeds=seeds,
        compared=compared,
        colours=dict(zip(metrics, COLOURS * len(metrics), strict=False)),
        lines={name: _line(one, budget, top) for name, one in metrics.items()},
        bands={name: _band(one, budget, top) for name, one in metrics.items()},
        x_ticks=[(_x(n, budget), n) for n in range(0, budget + 1, max(1, round(budget / 6)))],
        y_ticks=[(_y(1 + (top - 1) * part / 4, top), f"{1 + (top - 1) * part / 4:.2f}x") for part in range(5)],
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=WIDTH - RIGHT,
        bottom=HEIGHT - BOTTOM,
        top=TOP,
    )


def _x(attempt: int, budget: int) -> float:
    return round(LEFT + (WIDTH - LEFT - RIGHT) * attempt / max(budget, 1), 1)


def _y(value: float, top: float) -> float:
    share = (value - 1.0) / max(top - 1.0, 1e-9)
    return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(max(share, 0.0), 1.0), 1)


def _line(one: MethodMetrics, budget: int, top: float) -> str:
    return "M" + "L".join(f"{_x(attempt, budget)} {_y(value, top)}" for attempt, value in one.curve)


def _band(one: MethodMetrics, budget: int, top: float) -> str:
    """The outline of the interval: along the upper ends and back along the lower ones."""
    ends = list(zip((attempt for attempt, _ in one.curve), one.band, strict=True))
    upper = [f"{_x(attempt, budget)} {_y(high, top)}" for attempt, (_, high) in ends]
    lower = [f"{_x(attempt, budget)} {_y(low, top)}" for attempt, (low, _) in reversed(ends)]
    return "M" + "L".join(upper + lower) + "Z"
