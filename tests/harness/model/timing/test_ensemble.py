"""Parameter sets: the same for every trace, reproducible, as wide as the uncertainties say."""

from __future__ import annotations

import statistics
from typing import Any

import pytest
from harness.model.timing.traces import vector

from ascendopt.harness.devices.model.ensemble import deviates, ensemble_record


def _trace(calls: int) -> dict[str, Any]:
    return {"cores": [0], "programs": [[{"loop": calls, "body": [vector("Add", 80)]}]]}


UNCERTAIN = {"value": 20, "uncertainty": 0.25}


def test_all_traces_see_the_same_sets(replay: Any, round_chip: Any) -> None:
    chip = round_chip(vector_startup=UNCERTAIN)
    one = replay(_trace(1), chip, samples=33, seed=7)["samples_us"]
    ten = replay(_trace(10), chip, samples=33, seed=7)["samples_us"]
    assert len(one) == 33
    assert ten == pytest.approx([10 * value for value in one])
    assert len(set(one)) == 33


def test_a_seed_fixes_the_sets_and_more_samples_extend_them(replay: Any, round_chip: Any) -> None:
    chip = round_chip(vector_startup=UNCERTAIN)
    few = replay(_trace(1), chip, samples=5, seed=7)["samples_us"]
    many = replay(_trace(1), chip, samples=20, seed=7)["samples_us"]
    other = replay(_trace(1), chip, samples=5, seed=8)["samples_us"]
    assert many[:5] == few
    assert other != few


def test_spread_follows_the_uncertainty(replay: Any, round_chip: Any) -> None:
    chip = round_chip(vector_startup=UNCERTAIN, vector_minimum=0, per_repeat={"value": 0})
    samples = replay(_trace(1), chip, samples=2000, seed=1)["samples_us"]
    assert statistics.mean(samples) == pytest.approx(0.020, rel=0.03)
    assert statistics.stdev(samples) == pytest.approx(0.005, rel=0.08)


def test_reports_know_the_sets_of_the_server(replay: Any, round_chip: Any) -> None:
    # 20 ns of start-up and 80 repeats of 1 ns, each scaled by its own deviate.
    chip = round_chip(vector_startup=UNCERTAIN, vector_minimum=0, per_repeat={"uncertainty": 0.1})
    record = ensemble_record(chip, 20, 3)
    assert record["constants"] == {"vector_startup": [0.25, "fitted"], "vector.default.any.per_repeat": [0.1, "fitted"]}
    startup, repeats = deviates(3, 20, ["vector_startup", "vector.default.any.per_repeat"])
    expected = 0.020 * (1 + 0.25 * startup) + 0.080 * (1 + 0.1 * repeats)
    assert replay(_trace(1), chip, samples=20, seed=3)["samples_us"] == pytest.approx(list(expected))


def test_certain_constants_give_no_spread(replay: Any, round_chip: Any) -> None:
    answer = replay(_trace(3), round_chip(), samples=9, seed=1)
    assert set(answer["samples_us"]) == {answer["latency_us"]}


def test_guessed_share_is_the_guessed_part_of_busy_cycles(replay: Any, round_chip: Any) -> None:
    # 20 fitted cycles of start-up, 80 guessed ones of repeats.
    answer = replay(_trace(4), round_chip(per_repeat={"source": "guess"}))
    assert answer["guessed_share"] == pytest.approx(0.8)
    assert replay(_trace(4), round_chip())["guessed_share"] == 0


def test_a_broken_timing_file_is_one_sentence(replay: Any, tmp_path: Any) -> None:
    path = tmp_path / "broken.json"
    path.write_text('{"constants": {"clock_mhz": {"value": 1}}}')
    answer = replay(_trace(1), path)
    assert not answer["ok"]
    assert "clock_mhz.uncertainty must be a number" in answer["reason"]
