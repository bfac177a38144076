"""`device doctor` and `device calibrate` on the real model device."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from cli.model_shell import run, write_operator

from ascendopt.harness.devices.base import BuildOptions, Profile
from ascendopt.harness.devices.model.built import ModelBuilt
from ascendopt.harness.devices.model.calibration import changed, load_constants
from ascendopt.harness.devices.model.chip_facts import ACCURACY, shipped_timing
from ascendopt.harness.devices.model.device import ModelDevice
from ascendopt.harness.target import open_target

pytestmark = [pytest.mark.device, pytest.mark.timeout(600)]
SOC = "Ascend910B2"
HEADING = "Op Name,OP Type,Task Duration(us),Input Shapes\n"
TRUTH = {"load_latency_hbm": 1.2, "hbm_gbps": 0.97}
ROWS = [1, 48, 480, 960, 2048, 4096, 8192]


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_operator(tmp_path_factory.mktemp("calibrate") / "scaled_add", ROWS)


def test_doctor_prints_the_errors_by_family(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("device", "doctor") == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    found = json.loads(ACCURACY.read_text())
    assert any(found["date"] in " ".join(line) for line in lines)
    for row in found["families"]:
        (line,) = [line for line in lines if line[:1] == [row["family"]]]
        assert int(line[1]) == row["points"]
        assert [float(cell.rstrip("%")) / 100 for cell in line[2:4]] == pytest.approx(
            [row["median"], row["p90"]], abs=6e-4
        )
        assert line[4:] == [f"{row['right_order']}/{row['pairs']}", f"{row['covered']}/{row['points']}"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEADING + 'a,ScaledAdd,fast,"1,4096;1,4096"\n', ":2: 'fast' is not a duration"),
        (HEADING + 'a,ScaledAdd,1.0,"1,4096;1,4096"\nb,ScaledAdd\n', ":3: the line has 2 fields"),
        (HEADING + 'a,Other,1.0,"1,4096;1,4096"\n', ": no row is of type ScaledAdd"),
    ],
)
def test_a_bad_export_is_one_sentence_and_nothing_is_written(
    operator: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    export = tmp_path / "op_summary.csv"
    export.write_text(text)
    assert run("device", "calibrate", export, operator, "--out", tmp_path / "new.json") == 2
    said_lines = capsys.readouterr().err.strip().splitlines()
    assert len(said_lines) == 1 and f"{export}{said}" in said_lines[0]
    assert [path.name for path in tmp_path.iterdir()] == ["op_summary.csv"]


def test_known_constants_are_recovered_within_their_uncertainty(operator: Path, tmp_path: Path) -> None:
    constants = load_constants(shipped_timing(SOC))
    shipped = constants["constants"]
    true = {name: shipped[name]["value"] * factor for name, factor in TRUTH.items()}
    measured = times_under(operator, tmp_path / "true.json", changed(constants, true, "the truth"))
    export = tmp_path / "op_summary.csv"
    rows = [f'k,ScaledAdd,{us},"{rows},4096;{rows},4096"\n' for rows, us in zip(ROWS, measured, strict=True)]
    export.write_text(HEADING + "".join(rows))
    before = times_under(operator, tmp_path / "before.json", constants)
    assert max(abs(was / right - 1) for was, right in zip(before, measured, strict=True)) > 0.05

    assert run("device", "calibrate", export, operator, "--out", tmp_path / "new.json") == 0
    fitted = json.loads((tmp_path / "new.json").read_text())
    for name, right in true.items():
        entry = fitted["constants"][name]
        assert entry["source"] == "fitted" and "7 measured times of ScaledAdd" in entry["note"]
        # The uncertainty is a standard deviation; the ensemble's 95 % reach twice as far.
        assert abs(entry["value"] / right - 1) <= 2 * entry["uncertainty"]
        assert entry["uncertainty"] < shipped[name]["uncertainty"]
    # What the times tell is known better now; what they don't is as uncertain as before.
    assert fitted["constants"]["load_latency_hbm"]["uncertainty"] < 0.75 * shipped["load_latency_hbm"]["uncertainty"]
    assert fitted["constants"]["mmad_step"] == shipped["mmad_step"]
    assert times_under(operator, tmp_path / "again.json", fitted) == pytest.approx(measured, rel=0.02)


def times_under(operator: Path, file: Path, constants: dict[str, object]) -> list[float]:
    """Modelled times of the cases under the constants of ``file``, which is written here."""
    file.write_text(json.dumps(constants))
    target = open_target(operator, SOC, None)
    device = ModelDevice(SOC)
    device.options = replace(device.options, timing=file, samples=0)
    try:
        built = device.build(operator, BuildOptions(SOC))
        assert isinstance(built, ModelBuilt)
        results = built.profile_many([(case, None) for case in target.workload.cases])
    finally:
        device.close()
    times = [result.timing.latency_us for result in results if isinstance(result, Profile)]
    assert len(times) == len(ROWS)
    return times
