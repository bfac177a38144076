"""Charts in pixels, worked out by hand."""

from __future__ import annotations

from ascendopt.harness.report.charts import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Axes, reached


def test_axes_map_ends_to_the_edges_and_clip() -> None:
    axes = Axes(0.0, 10.0, 1.0, 3.0)
    assert (axes.x(0.0), axes.x(10.0), axes.x(20.0)) == (LEFT, WIDTH - RIGHT, WIDTH - RIGHT)
    assert (axes.y(1.0), axes.y(3.0), axes.y(0.0)) == (HEIGHT - BOTTOM, TOP, HEIGHT - BOTTOM)
    assert axes.x(5.0) == (LEFT + WIDTH - RIGHT) / 2


def test_ticks_are_round_and_few() -> None:
    assert [tick.label for tick in Axes(0.0, 60.0, 0.0, 1.0).x_ticks()] == ["0", "10", "20", "30", "40", "50", "60"]
    assert [tick.label for tick in Axes(0.0, 1.0, 1.0, 1.38).y_ticks("x")] == ["1.0x", "1.1x", "1.2x", "1.3x"]


def test_the_distribution_falls_from_all_to_none() -> None:
    chart = reached({"a": [0.0, 1.0, 2.0, 2.0]}, "label", "share")
    axes = Axes(0.95 - 0.03 * 1.05, 2.0 + 0.03 * 1.05, 0.0, 100.0)
    left, one, two, right = axes.x(axes.x_low), axes.x(1.0), axes.x(2.0), axes.x(axes.x_high)
    # One of four failed: it starts at 75 %, is 50 % from 1.0 on, and nothing above 2.0.
    heights = [axes.y(share) for share in (75.0, 50.0, 25.0, 0.0, 0.0)]
    steps = zip((one, two, two, right), heights[1:], strict=True)
    assert chart.lines[0].path == f"M{left} {heights[0]}" + "".join(f"H{x}V{y}" for x, y in steps)
