"""Rewind on a sample: what is kept, what it says, and what a kill leaves."""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from ascendopt.bank.motif import Motif
from ascendopt.harness.devices.model.device import ModelDevice
from ascendopt.harness.evaluation import Evaluation, State
from ascendopt.harness.rewind.distil import license_of
from ascendopt.harness.rewind.rewind import RewindEvent, RewindResult, RewindSettings, hurts, rewind
from ascendopt.harness.target import Target, open_target

pytestmark = [pytest.mark.device, pytest.mark.timeout(600)]
SAMPLE = Path(__file__).parents[3] / "samples" / "mish"
SETTINGS = RewindSettings(budget=7, seed=1, date="2026-01-02", version="0.0")


@pytest.fixture(scope="module")
def device() -> Generator[ModelDevice]:
    made = ModelDevice("Ascend910B2")
    yield made
    made.close()


@pytest.fixture(scope="module")
def target() -> Target:
    return open_target(SAMPLE, None, "large/float32")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rewind") / "run"


@pytest.fixture(scope="module")
def whole(device: ModelDevice, target: Target, folder: Path) -> tuple[RewindResult, list[RewindEvent], list[Motif]]:
    events: list[RewindEvent] = []
    kept: list[Motif] = []
    result = rewind([target], device, folder, SETTINGS, on_removal=events.append, keep=kept.append)
    return result, events, kept


def test_only_what_hurts_is_kept(whole: tuple[RewindResult, list[RewindEvent], list[Motif]]) -> None:
    result, events, kept = whole
    assert result.attempts == len(events) == 7
    assert [motif for motif, _ in result.motifs] == kept
    assert len(kept) == sum(event.kept for event in events) >= 3
    for event in events:
        # By the margin at least, and by the whole interval: what lies close to it may go either way.
        assert not event.kept or (event.slowdown or 0.0) >= 1.03
        assert event.kept or (event.slowdown or 0.0) < 1.15
    assert len({motif.symptom for motif in kept}) >= 3


def test_a_motif_is_the_inverse_edit_with_its_measurement(
    whole: tuple[RewindResult, list[RewindEvent], list[Motif]], target: Target
) -> None:
    for motif, slowdown in whole[0].motifs:
        [evidence] = motif.evidence
        assert evidence.modelled and evidence.soc == "Ascend910B2"
        assert evidence.gain == pytest.approx(slowdown)
        assert 1.03 <= evidence.interval[0] <= evidence.gain <= evidence.interval[1]
        assert evidence.cases == ("large/float32",)
        assert motif.provenance.source == "mish"
        assert motif.provenance.license == "Apache-2.0"
        assert motif.provenance.date == "2026-01-02"
        # The diff leads to the strong text: what it adds stands there, what it takes away does not.
        added = [line[1:] for line in motif.rewrite.diff.splitlines() if line.startswith("+") and line[:3] != "+++"]
        strong = "\n".join(target.sources.texts.values()).splitlines()
        assert all(line in strong for line in added)
        assert motif.rewrite.before and motif.rewrite.after
        assert "mish" not in motif.title and "MISH" not in motif.rewrite.before


def test_a_killed_run_ends_as_if_nothing_had_happened(
    whole: tuple[RewindResult, list[RewindEvent], list[Motif]],
    device: ModelDevice,
    target: Target,
    folder: Path,
    tmp_path: Path,
) -> None:
    journal = (folder / "journal.jsonl").read_bytes()
    lines = journal.splitlines(keepends=True)
    (tmp_path / "run").mkdir()
    # Half of it, and half a line more.
    (tmp_path / "run" / "journal.jsonl").write_bytes(b"".join(lines[: len(lines) // 2]) + lines[-1][:20])
    kept: list[Motif] = []
    result = rewind([target], device, tmp_path / "run", SETTINGS, resume=True, keep=kept.append)
    assert (tmp_path / "run" / "journal.jsonl").read_bytes() == journal
    assert kept == whole[2]
    assert result.to_json() == whole[0].to_json()


def test_the_json_is_the_contract(whole: tuple[RewindResult, list[RewindEvent], list[Motif]]) -> None:
    said = json.loads(json.dumps(whole[0].to_json()))
    assert said["operators"] == ["mish"] and said["attempts"] == 7 and said["kept"] == len(said["motifs"])
    assert set(said["motifs"][0]) == {"id", "title", "symptom", "slowdown"}


def test_hurting_means_the_whole_interval() -> None:
    # 1 / 1.03 = 0.97087
    slow = Evaluation(State.OK, (), speedup=0.9, interval=(0.85, 0.97))
    assert hurts(slow, 0.03)
    assert not hurts(replace(slow, interval=(0.85, 0.98)), 0.03)
    assert not hurts(replace(slow, speedup=0.98, interval=(0.9, 0.97)), 0.03)
    assert not hurts(Evaluation(State.INCORRECT, ()), 0.03)


def test_licence_of_the_nearest_folder_that_has_one(tmp_path: Path) -> None:
    operator = tmp_path / "src" / "math" / "op"
    operator.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    assert license_of(operator) == "unknown"
    (tmp_path / "LICENSE").write_text("CANN Open Software License Agreement Version 1.0\n")
    assert license_of(operator) == "LicenseRef-CANN-Open-Software"
    (operator / "LICENSE").write_text("// SPDX-License-Identifier: MIT\n")
    assert license_of(operator) == "MIT"
