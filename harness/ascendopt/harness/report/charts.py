"""Lines of the charts in pixels of an SVG; the templates draw them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 520, 230
LEFT, RIGHT, TOP, BOTTOM = 50, 14, 28, 38


@dataclass(frozen=True)
class Tick:
    """A labelled position on an axis, in pixels."""

    at: float
    label: str


@dataclass(frozen=True)
class Line:
    """A curve with its name; ``band`` is the outline of its interval or empty."""

    name: str
    path: str
    band: str = ""


@dataclass(frozen=True)
class Mark:
    """A point: pixel position, class, and a text for its tooltip."""

    x: float
    y: float
    kind: str
    title: str


@dataclass(frozen=True)
class Chart:
    """What a template draws: ``label`` says it in words for those who can't see it."""

    label: str
    x_name: str
    y_name: str
    lines: tuple[Line, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    marks: tuple[Mark, ...] = ()
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


@dataclass(frozen=True)
class Axes:
    """Maps values to pixels: x from ``x_low`` to ``x_high``, y from ``y_low`` to ``y_high``."""

    x_low: float
    x_high: float
    y_low: float
    y_high: float

    def x(self, value: float) -> float:
        """From the left edge."""
        return _placed(value, self.x_low, self.x_high, LEFT, WIDTH - RIGHT)

    def y(self, value: float) -> float:
        """From the top."""
        return _placed(value, self.y_low, self.y_high, HEIGHT - BOTTOM, TOP)

    def x_ticks(self, suffix: str = "", most: int = 8) -> tuple[Tick, ...]:
        """Round values along x."""
        values, digits = _round_values(self.x_low, self.x_high, most)
        return tuple(Tick(self.x(value), f"{value:.{digits}f}{suffix}") for value in values)

    def y_ticks(self, suffix: str = "", most: int = 6) -> tuple[Tick, ...]:
        """Round values along y."""
        values, digits = _round_values(self.y_low, self.y_high, most)
        return tuple(Tick(self.y(value), f"{value:.{digits}f}{suffix}") for value in values)

    def polyline(self, points: Sequence[tuple[float, float]]) -> str:
        """Straight from point to point."""
        return "M" + "L".join(f"{self.x(x)} {self.y(y)}" for x, y in points)

    def steps(self, points: Sequence[tuple[float, float]]) -> str:
        """Level to the next x, then up or down."""
        first, *rest = points
        return f"M{self.x(first[0])} {self.y(first[1])}" + "".join(f"H{self.x(x)}V{self.y(y)}" for x, y in rest)

    def outline(self, lower: Sequence[tuple[float, float]], upper: Sequence[tuple[float, float]]) -> str:
        """The area between two lines."""
        return self.polyline([*upper, *reversed(lower)]) + "Z"


def reached(groups: Mapping[str, Sequence[float]], label: str, y_name: str) -> Chart:
    """For each group, the share of its speed-ups that are at least x: the distribution, read from the right.

    Speed-ups are positive; failures count as 0 and lie below the left edge.
    """
    values = [value for group in groups.values() for value in group if value > 0]
    low, high = min([0.95, *values]), max([1.05, *values])
    pad = 0.03 * (high - low)
    axes = Axes(max(0.0, low - pad), high + pad, 0.0, 100.0)
    lines = tuple(Line(name, axes.steps(_shares(group, axes))) for name, group in groups.items() if group)
    return Chart(label, "speed-up", y_name, lines, axes.x_ticks("x"), axes.y_ticks(" %", 5))


def _shares(values: Sequence[float], axes: Axes) -> list[tuple[float, float]]:
    """(speed-up, percent of the values above it), from the left edge to the right one."""
    ordered = sorted(value for value in values if value > axes.x_low)
    total = len(values)
    points = [(axes.x_low, 100.0 * len(ordered) / total)]
    points += [(value, 100.0 * (len(ordered) - index) / total) for index, value in enumerate(ordered, 1)]
    return [*points, (axes.x_high, 0.0)]


def _placed(value: float, low: float, high: float, start: int, end: int) -> float:
    share = (value - low) / (high - low) if high > low else 0.0
    return round(start + (end - start) * min(max(share, 0.0), 1.0), 1)


def _round_values(low: float, high: float, most: int) -> tuple[list[float], int]:
    """Multiples of 1, 2 or 5 times a power of ten between the ends, at most ``most``, and their decimals."""
    span = max(high - low, 1e-9)
    for power in range(-6, 10):
        for digit in (1, 2, 5):
            step = digit * 10.0**power
            first = int(-(-low // step))
            last = int(high // step)
            if last - first + 1 <= most and span / step <= most:
                return [round(n * step, 9) for n in range(first, last + 1)], max(0, -power)
    return [], 0
