"""The review card says what a person has to look at."""

from __future__ import annotations

from dataclasses import replace

import pytest
from harness.episode_support import toy_episode
from harness.fake_device import FakeDevice, write_toy_operator

from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.report.model import EpisodeReport, read_report
from ascendopt.harness.report.review import Point, review_card


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> EpisodeReport:
    folder = tmp_path_factory.mktemp("review")
    toy_episode(write_toy_operator(folder / "toy"), FakeDevice(), folder / "out", budget=8).run()
    return read_report(folder / "out")


def card(report: EpisodeReport) -> dict[str, Point]:
    return {point.title: point for point in review_card(report)}


def test_a_change_of_a_tile_length_is_quiet(report: EpisodeReport) -> None:
    patched = replace(report, patch="--- a/x\n+++ b/x\n-constexpr int TILE = 1;  // float\n+int T = 2; /* tail */\n")
    found = card(patched)
    assert not found["Accumulation: type and order"].look
    # Of the toy's cases 256 x 512 floats end at a block, 37 x 13 (481 x 4 bytes, 60 blocks and 4 bytes) do not.
    assert "1 of 2 input tensors" in found["Tails and unaligned paths"].text
    assert not found["Tails and unaligned paths"].look


def test_reductions_types_and_tails_in_changed_lines_are_named(report: EpisodeReport) -> None:
    patch = "+++ b/Cast.cpp\n ReduceMax(a);\n-ReduceSum<float>(x, y);\n+Add(x, y, tailLength % 8);\n"
    found = card(replace(report, patch=patch))
    point = found["Accumulation: type and order"]
    assert point.look and "Changed lines name ReduceSum, float." in point.text
    assert found["Tails and unaligned paths"].look
    assert "Changed lines name tailLength, %." in found["Tails and unaligned paths"].text


def test_other_rounding_is_told_by_the_errors(report: EpisodeReport) -> None:
    assert report.best is not None
    worse = tuple(replace(case, max_rel_error=1e-4) for case in report.best.cases)
    point = card(replace(report, patch="", best=replace(report.best, cases=worse)))["Accumulation: type and order"]
    assert point.look and "was 0 and is 0.0001" in point.text


def test_unseen_shapes_that_got_slower_are_named(report: EpisodeReport) -> None:
    assert report.unseen is not None
    name = next(case.name for case in report.unseen.cases if case.latency_us is not None)
    faster = {**report.unseen_before, name: 0.001}
    point = card(replace(report, unseen_before=faster))["Shapes that the search did not see"]
    assert point.look and f"Slower than before on 1: {name}." in point.text
    assert card(replace(report, unseen=None))["Shapes that the search did not see"].look


def test_boundary_inputs_that_were_left_out_are_counted(report: EpisodeReport) -> None:
    assert isinstance(report.baseline, Evaluation)
    assert "in 2 of 2 cases." in card(report)["Extreme inputs"].text
    baseline = replace(report.baseline, notes=("tail: boundary inputs left out, case tail: wrong",))
    assert "in 1 of 2 cases: in 1 the original" in card(replace(report, baseline=baseline))["Extreme inputs"].text


def test_without_a_winner_there_is_no_card(report: EpisodeReport) -> None:
    assert review_card(replace(report, best=None)) == ()
