"""A part of the published points that takes seconds; `make measurements` runs all of them.

Bounds are those the model promises as a whole: median 5 %, p90 20 %, order 95 %, 80 % inside the interval.
"""

from __future__ import annotations

from collections.abc import Generator

import pytest
from harness.model.published.drive import NotDriven, drive
from harness.model.published.measure import Bench, Result, read_points, rows

pytestmark = [pytest.mark.device, pytest.mark.timeout(600)]
FAMILIES = {
    "add_a2", "dcopy_ub_a2", "dcopy_l1_a2", "dcopy_ub_950", "bank_a2", "nd2nz_a2", "gelu_a2", "ms_vec", "ms_mte1",
    "ms_mmad", "ms_gm_ub_l2", "mm_tiling", "mm_const", "mm_preload", "reduce256_a2",
}  # fmt: skip
SCALAR = {"add_a2_c0"}
"""Minutes of scalar work."""


@pytest.fixture(scope="module")
def results() -> Generator[list[Result]]:
    bench = Bench(samples=100)
    points = [p for p in read_points() if p["family"] in FAMILIES and p["model_ready"] and p["id"] not in SCALAR]
    yield bench.points(points)
    bench.close()


def test_every_point_with_parameters_has_a_kernel() -> None:
    missing = set[str]()
    for point in read_points():
        try:
            drive(point)
        except NotDriven:
            if point["model_ready"]:
                missing.add(point["family"])
    assert missing <= {"ms_vec"}  # MrgSort


def test_errors_order_and_intervals(results: list[Result]) -> None:
    assert not [result.why for result in results if result.modelled is None and "MRGSORT" not in result.why]
    total = rows(results)[-1]
    assert total.driven > 120
    assert total.median < 0.05
    assert total.p90 < 0.20
    assert total.right_order / total.pairs > 0.95
    assert total.covered / total.driven > 0.80


@pytest.mark.parametrize(("family", "median"), [("add_a2", 0.04), ("dcopy_ub_a2", 0.05), ("bank_a2", 0.03)])
def test_families(results: list[Result], family: str, median: float) -> None:
    (row,) = [row for row in rows(results) if row.family == family]
    assert row.median < median
