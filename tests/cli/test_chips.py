"""The sample on every chip that the chip data names: it runs and has a time, or is refused in one sentence."""

from __future__ import annotations

import json

import pytest
from cli.model_shell import SAMPLE, run

from ascendopt.analysis.chips import load_chip
from ascendopt.harness.devices.model.chip_facts import modelled_chips

pytestmark = [pytest.mark.device, pytest.mark.timeout(600)]
MODELLED = ["Ascend910B1", "Ascend910_9391", "Ascend310P3", "Ascend910_95"]
"""One of each family: A2, A3, 310P, and the memory-based API of 950."""
CASE = "tail/float16"
OTHERS = ["Ascend910A", "Ascend310B1", "Ascend310P1"]


def time_of(chip: str, capsys: pytest.CaptureFixture[str]) -> float:
    assert run("run", SAMPLE, "--case", CASE, "--soc", chip, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["soc"] == chip and report["modelled"] is True
    (case,) = report["cases"]
    assert case["correct"] is True and case["violations"] == []
    return case["latency_us"]


@pytest.mark.parametrize("chip", MODELLED)
def test_the_sample_is_right_and_has_a_time(chip: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 < time_of(chip, capsys) < 1000


def test_a_chip_with_fewer_cores_takes_longer(capsys: pytest.CaptureFixture[str]) -> None:
    large, small = (time_of(chip, capsys) for chip in ("Ascend910B1", "Ascend310P3"))
    assert small > 2 * large


@pytest.mark.parametrize("chip", OTHERS)
def test_other_chips_are_refused(chip: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert load_chip(chip).name == chip and chip not in modelled_chips()
    assert run("run", SAMPLE, "--case", CASE, "--soc", chip, "--json") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1 and f"does not model {chip}" in captured.err


def test_each_chip_with_constants_is_in_the_chip_data() -> None:
    assert set(MODELLED) <= set(modelled_chips())
    for name in modelled_chips():
        chip = load_chip(name)
        assert chip.ub_bytes and chip.npu_arch
