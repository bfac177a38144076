"""A bench over methods, operators and seeds: what it writes, and that what is done is not done again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from harness.executors.toy_device import open_toy_device
from harness.fake_device import FakeDevice, toy_workload, write_toy_operator

from ascendopt.harness.bench.bench import bench
from ascendopt.harness.bench.results import BenchPlan, BenchResult, read_results
from ascendopt.harness.devices.base import Device
from ascendopt.harness.executors.choice import Executors
from ascendopt.harness.journal.events import JournalError
from ascendopt.harness.operator_copy import read_operator
from ascendopt.harness.refine.experience import NoExperience
from ascendopt.harness.report.model import read_report
from ascendopt.harness.target import Target

PLAN = BenchPlan(("stage2", "random"), 6, (3, 4))


def targets(folder: Path) -> list[Target]:
    sources = (read_operator(write_toy_operator(folder / "ops" / name)) for name in ("first", "second"))
    return [Target(one, toy_workload(), "Ascend910B2", "test", None) for one in sources]


def run(folder: Path, device: Device, plan: BenchPlan = PLAN) -> BenchResult:
    return bench(targets(folder), device, plan, NoExperience(), folder / "out")


def test_metrics_come_from_the_journals_and_nothing_runs_twice(tmp_path: Path) -> None:
    result = run(tmp_path, FakeDevice())
    written = json.loads((tmp_path / "out" / "metrics.json").read_text())
    assert written["seeds"] == [3, 4] and written["budget"] == 6
    for method in PLAN.methods:
        for operator in ("first", "second"):
            folders = [tmp_path / "out" / method / operator / f"seed-{seed}" for seed in PLAN.seeds]
            speedups = [round(read_report(folder).speedup, 4) for folder in folders]
            assert written["methods"][method]["runs"][operator] == speedups
    assert [(one["method"], one["other"]) for one in written["comparisons"]] == [("stage2", "random")]
    page = (tmp_path / "out" / "report.html").read_text()
    assert "2 operators, 6 attempts a run, 2 seeds (3, 4)" in page
    # 2 operators x 2 seeds: the rows of the methods say how many runs their means are over.
    assert page.count('<td class="n">2</td><td class="n">4</td>') == len(PLAN.methods)
    idle = FakeDevice()
    again = run(tmp_path, idle)
    assert idle.builds == 0
    assert again.metrics == result.metrics and again.comparisons == result.comparisons
    assert (tmp_path / "out" / "report.html").read_text() == page
    assert read_results(tmp_path / "out").page() == page


def test_the_figures_are_the_same_whatever_the_number_of_workers(tmp_path: Path) -> None:
    alone = run(tmp_path, FakeDevice())
    device = open_toy_device()
    factory = Executors(workers=2).factory(device, open_toy_device)
    plan, folder = PLAN, tmp_path / "two"
    both = bench(targets(tmp_path), device, plan, NoExperience(), folder, executor=factory)
    assert both.metrics == alone.metrics and both.comparisons == alone.comparisons
    assert (folder / "metrics.json").read_bytes() == (tmp_path / "out" / "metrics.json").read_bytes()
    runs = [folder / "random" / operator / "seed-3" for operator in ("first", "second")]
    assert [read_report(one).workers for one in runs] == [2, 2]


def test_runs_of_another_budget_are_refused(tmp_path: Path) -> None:
    run(tmp_path, FakeDevice(), BenchPlan(("random",), 4, (0,)))
    with pytest.raises(JournalError, match="holds a run of 4 attempts, not 5; choose another --out"):
        run(tmp_path, FakeDevice(), BenchPlan(("random",), 5, (0,)))


def test_the_margin_decides_what_counts_and_runs_of_another_are_refused(tmp_path: Path) -> None:
    run(tmp_path, FakeDevice(), BenchPlan(("random",), 8, (0,), margin=0.0))
    every = read_report(tmp_path / "out" / "random" / "first" / "seed-0")
    assert 1.0 < every.speedup < 11.0 and every.margin == 0.0
    with pytest.raises(JournalError, match=r"holds a run with a margin of 0 %, not 1000 %; choose another --out"):
        run(tmp_path, FakeDevice(), BenchPlan(("random",), 8, (0,), margin=10.0))
    run(tmp_path / "strict", FakeDevice(), BenchPlan(("random",), 8, (0,), margin=10.0))
    assert read_report(tmp_path / "strict" / "out" / "random" / "first" / "seed-0").speedup == 1.0


def test_an_operator_that_fails_as_it_is_is_left_out_of_all(tmp_path: Path) -> None:
    chosen = [*targets(tmp_path)[:1], _with_large_tile(tmp_path)]
    result = bench(chosen, FakeDevice(), PLAN, NoExperience(), tmp_path / "out")
    assert list(result.left_out) == ["third"] and "UB" in result.left_out["third"]
    assert all(list(metrics.runs) == ["first"] for metrics in result.metrics.values())


def _with_large_tile(folder: Path) -> Target:
    # 2 queues x 40,000 floats are 320,000 bytes: more UB than there is.
    sources = read_operator(write_toy_operator(folder / "ops" / "third", tile=40_000))
    return Target(sources, toy_workload(), "Ascend910B2", "test", None)
